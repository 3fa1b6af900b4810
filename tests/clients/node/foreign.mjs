// Connects the official clients to any server that a command starts, with one face
// for both. Each answers what it is asked.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { loadSDK } from './connect.mjs';

const sdk = await loadSDK('2025-11-25');
const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
// The gateway's own, so that a server says the same of the client that it has.
const identity = { name: 'MCPServer_gateway', version: '0.1.0' };

const methods = {
  'tools/call': 'callTool',
  'prompts/get': 'getPrompt',
  'resources/read': 'readResource',
  'completion/complete': 'complete',
};

/** What the user, the model and the client answer: {method: answer(params)}. */
function answers(root) {
  return {
    'sampling/createMessage': () => ({ model: 'a model', role: 'assistant', content: { type: 'text', text: 'Paris' }, stopReason: 'endTurn' }),
    'elicitation/create': ({ requestedSchema }) => (requestedSchema ? { action: 'accept', content: filledIn(requestedSchema) } : { action: 'accept' }),
    'roots/list': () => ({ roots: [{ uri: `file://${root}`, name: 'the root' }] }),
  };
}

/** Connects the client of the legacy era to {command, args, env}; roots has what it does. The client is closed when test t ends. */
export async function connectLegacy(t, entry, root) {
  const client = new sdk.Client(identity, { capabilities });
  const schemaOf = method => Object.values(sdk.types).find(schema => schema?.shape?.method?.value === method);
  const transport = new (await import('@modelcontextprotocol/sdk/client/stdio.js')).StdioClientTransport({ ...entry, stderr: 'ignore' });
  return open(t, client, transport, root, schemaOf);
}

/** Connects the client of both eras, which chooses the modern one if it can. */
export async function connectDual(t, entry, root) {
  const client = new Client(identity, { capabilities, versionNegotiation: { mode: 'auto' } });
  return open(t, client, new StdioClientTransport({ ...entry, stderr: 'ignore' }), root, method => method);
}

async function open(t, client, transport, root, requestOf) {
  const asked = [];
  for (const [method, answer] of Object.entries(answers(root))) {
    client.setRequestHandler(requestOf(method), ({ params }) => {
      if (method !== 'roots/list') asked.push({ method, params });
      return answer(params);
    });
  }
  t.after(() => client.close());
  await client.connect(transport);
  return {
    client,
    close: () => client.close(),
    tools: () => all(client, 'listTools', 'tools'),
    /** Gives {result, asked} or {error, asked}. */
    async ask(method, params) {
      asked.length = 0;
      try {
        return { result: await client[methods[method]](params), asked: inOrder(asked) };
      } catch ({ code, message, data }) {
        return { error: { code, message: sent(code, message), data }, asked: inOrder(asked) };
      }
    },
  };
}

/** The message of an error as it was sent: the legacy client puts something before it. */
function sent(code, message) {
  return message.replace(`MCP error ${code}: `, '');
}

/** Questions that come together have no order, _meta is between the two that talk, and the id of a visit is of the legacy era alone. */
function inOrder(asked) {
  return asked.map(({ method, params: { _meta, elicitationId, ...params } }) => JSON.stringify({ method, params })).sort();
}

async function all(client, method, member) {
  const entries = [];
  let cursor;
  do {
    const page = await client[method]({ cursor });
    entries.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return entries;
}

function filledIn({ properties }) {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueOf(field)]));
}

function valueOf(field) {
  const choices = { email: 'ada@example.com', uri: 'https://example.com/', date: '2026-01-02', 'date-time': '2026-01-02T03:04:05Z' };
  const first = ({ enum: values, oneOf, anyOf }) => values?.[0] ?? (oneOf ?? anyOf)?.[0].const;
  switch (field.type) {
    case 'boolean': return true;
    case 'integer': return 7;
    case 'number': return 2.5;
    case 'array': return [first(field.items)];
    default: return first(field) ?? choices[field.format] ?? 'Ada';
  }
}
