// The validator itself: what it must accept and what it must reject, by legacy revision.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecording } from '../recording.mjs';
import { answers, asks, begin, cancels, client, fails, says, server } from './recordings.mjs';

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const since = first => revisions.filter(revision => revision >= first);

const called = (...results) => [asks(1, 'tools/call'), ...results.map(result => answers(1, result))];
const listed = tool => [asks(1, 'tools/list'), answers(1, { tools: [{ name: 't', inputSchema: { type: 'object' }, ...tool }] })];
const shows = block => called({ content: [block] });
const question = (method, params) => server({ jsonrpc: '2.0', id: 'q1', method, params });

const text = { type: 'text', text: 'x' };
const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
const link = { type: 'resource_link', uri: 'reminder:///1', name: 'r' };
const icons = [{ src: 'https://example.com/i.png' }];
const sampling = { messages: [{ role: 'user', content: text }], maxTokens: 10 };
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: { age: { type: 'number', minimum: 0.5 } } } };
const url = { mode: 'url', message: 'Go', elicitationId: 'e1', url: 'https://example.com/' };

// [what, recording after initialize, the revisions that accept it, the violation in the others]
const cases = [
  ['an empty answer', [asks(1, 'ping'), answers(1, {})], revisions],
  ['an answer with metadata', [asks(1, 'ping'), answers(1, { _meta: { a: 1 } })], revisions],
  ['a tool with any JSON schema', listed({ description: 'd', inputSchema: {
    type: 'object', description: 'd', properties: { a: { type: 'string', default: 'b' } }, additionalProperties: false } }), revisions],
  ['text', shows(text), revisions],
  ['a tool error', called({ content: [text], isError: true }), revisions],
  ['annotated text', shows({ ...text, annotations: { audience: ['user'], priority: 1 } }), revisions],
  ['an embedded resource', shows({ type: 'resource', resource: { uri: 'a:b', text: 'x' } }), revisions],
  ['a log message', [says('notifications/message', { level: 'info', data: { a: 1 } })], revisions],
  ['a notification with metadata', [says('notifications/message', { level: 'info', data: 1, _meta: {} })], revisions],
  ['progress', [says('notifications/progress', { progressToken: 'p', progress: 1, total: 2 })], revisions],
  ['a sampling question', [question('sampling/createMessage', sampling)], revisions],
  ['a cancelled question', [says('notifications/cancelled', { requestId: 'q1' })], revisions],
  ['a ping from the server', [question('ping')], revisions],
  ["a method of the server's own", [asks(1, 'zoo/feed'), answers(1, { fed: true })], revisions],
  ['an answer after a cancellation', [asks(1, 'ping'), cancels(1), answers(1, {})], revisions],
  ['an id used again after a cancellation', [asks(1, 'ping'), cancels(1), asks(1, 'tools/list'), answers(1, { tools: [] })], revisions],
  ['ids that are one number', [client('{"jsonrpc":"2.0","id":1,"method":"ping"}'), client('{"jsonrpc":"2.0","id":1.0,"method":"tools/list"}'), server('{"jsonrpc":"2.0","id":1.0,"result":{"tools":[]}}'), server('{"jsonrpc":"2.0","id":1,"result":{}}')], revisions],
  ['an error', [asks(1, 'nope'), fails(1, -32601)], revisions],
  ['an error without id', [client('{'), fails(undefined, -32700)], revisions],
  ['a string id', [asks('1', 'ping'), answers('1', {})], revisions],
  ['a reused open id', [asks(1, 'tools/call'), asks(1, 'ping'), fails(1), answers(1, { content: [] })], revisions],
  ['a client that answers', [client({ jsonrpc: '2.0', id: 1, result: {} })], revisions],

  ['audio', shows(audio), since('2025-03-26'), /unknown type "audio"/],
  ['tool annotations', listed({ annotations: { readOnlyHint: true } }), since('2025-03-26'), /unknown member "annotations"/],
  ['a progress message', [says('notifications/progress', { progressToken: 1, progress: 1, message: 'm' })],
    since('2025-03-26'), /unknown member "message"/],
  ['a batch', [client([{ jsonrpc: '2.0', id: 1, method: 'ping' }]), server([{ jsonrpc: '2.0', id: 1, result: {} }])],
    ['2025-03-26'], /a batch/],
  ['an empty batch', [server([])], [], /batch/],
  ['a bad member of a batch', [server([{ jsonrpc: '2.0', id: 9, result: {} }])], [], /batch|no open request/],
  ['a tool title', listed({ title: 'T' }), since('2025-06-18'), /unknown member "title"/],
  ['an output schema', listed({ outputSchema: { type: 'object' } }), since('2025-06-18'), /unknown member "outputSchema"/],
  ['tool metadata', listed({ _meta: {} }), since('2025-06-18'), /unknown member "_meta"/],
  ['structured content', called({ content: [], structuredContent: {} }), since('2025-06-18'), /unknown member "structuredContent"/],
  ['a resource link', shows(link), since('2025-06-18'), /unknown type "resource_link"/],
  ['the time of an annotation', shows({ ...text, annotations: { lastModified: '2025-01-12T15:00:58Z' } }),
    since('2025-06-18'), /unknown member "lastModified"/],
  ['a form', [question('elicitation/create', form)], since('2025-06-18'), /elicitation\/create: this revision has none/],
  ['a question by url', [question('elicitation/create', url)], since('2025-11-25'), /elicitation\/create/],
  ['tool icons', listed({ icons }), since('2025-11-25'), /unknown member "icons"/],
  ['sampling with tools', [question('sampling/createMessage', { ...sampling, tools: [] })], since('2025-11-25'), /unknown member "tools"/],
  ['a completed elicitation', [says('notifications/elicitation/complete', { elicitationId: 'e1' })],
    since('2025-11-25'), /this revision has none/],

  ['no JSON', [server('{')], [], /not JSON/],
  ['a line break in a message', [server('{"jsonrpc":"2.0",\r"method":"notifications/tools/list_changed"}')], [], /line break/],
  ['another JSON-RPC', [server({ jsonrpc: '1.0', id: 'q1', method: 'ping' })], [], /\/jsonrpc must be equal to constant "2.0"/],
  ['a null id', [fails(null)], [], /\/id must be/],
  ['a fractional id', [server({ jsonrpc: '2.0', id: 1.5, method: 'ping' })], [], /\/id must be/],
  ['result and error', [asks(1, 'ping'), server({ jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: 'm' } })],
    [], /unknown member "result"/],
  ['neither result nor error', [asks(1, 'ping'), server({ jsonrpc: '2.0', id: 1 })], [], /required property 'result'/],
  ['an error code that is no integer', [asks(1, 'ping'), fails(1, 1.5)], [], /\/error\/code must be integer/],
  ['an error about nothing', [fails(7)], [], /an error for 7, which is no open request/],
  ['a second answer', [asks(1, 'ping'), answers(1, {}), answers(1, {})], [], /a result for 1, which is no open request/],
  ['an answer to another type of id', [asks(1, 'ping'), answers('1', {})], [], /a result for "1"/],
  ['a result for an unknown method', [asks(1, 'nope'), answers(1, {})], [], /result for nope: this revision has none/],
  ['a result for an unknown method of a known family', [asks(1, 'tools/nope'), answers(1, {})], [], /result for tools\/nope: this revision has none/],
  ['a member in an empty answer', [asks(1, 'ping'), answers(1, { ok: true })], [], /unknown member "ok"/],
  ['no content', called({}), [], /required property 'content'/],
  ['content that is no list', called({ content: text }), [], /\/content must be array/],
  ['an unknown block', shows({ type: 'video' }), [], /unknown type "video"/],
  ['text without text', shows({ type: 'text' }), [], /required property 'text'/],
  ['data that is no base64', shows({ type: 'image', data: '!', mimeType: 'image/png' }), [], /format "byte"/],
  ['a priority above 1', shows({ ...text, annotations: { priority: 2 } }), [], /priority must be <= 1/],
  ['an input schema that is no object schema', listed({ inputSchema: { type: 'string' } }), [], /inputSchema\/type must be/],
  ['a tool without input schema', listed({ inputSchema: undefined }), [], /required property 'inputSchema'/],
  ['a modern result', called({ content: [], resultType: 'complete' }), [], /unknown member "resultType"/],
  ['an unknown log level', [says('notifications/message', { level: 'loud', data: 1 })], [], /\/params\/level must be/],
  ['an unknown notification', [says('notifications/hello', {})], [], /notifications\/hello: this revision has none/],
  ['an unknown question', [question('tools/call', { name: 't' })], [], /tools\/call: this revision has none/],
  ['a question without its params', [question('sampling/createMessage')], [], /required property 'params'/],
  ['an unknown role', [question('sampling/createMessage', { ...sampling, messages: [{ role: 'system', content: text }] })],
    [], /\/role must be/],
];

for (const revision of revisions) {
  describe(`recordings of ${revision}`, () => {
    for (const [what, entries, accepting, violation] of cases) {
      const accepts = accepting.includes(revision);
      test(`${accepts ? 'accepts' : 'rejects'} ${what}`, () => {
        const found = checkRecording([...begin(revision), ...entries].join('\n')).map(found => found.violation);
        if (accepts) assert.deepEqual(found, []);
        else assert.match(found.join('\n'), violation);
      });
    }
  });
}

describe('initialize', () => {
  // [what, members of the result, the revisions that accept it, the violation in the others]
  const serverInfo = { name: 's', version: '1' };
  const results = [
    ['instructions', { instructions: 'i' }, revisions],
    ['experimental capabilities', { capabilities: { experimental: { x: {} } } }, revisions],
    ['completions', { capabilities: { completions: {} } }, since('2025-03-26'), /unknown member "completions"/],
    ['a title', { serverInfo: { ...serverInfo, title: 'T' } }, since('2025-06-18'), /unknown member "title"/],
    ['icons', { serverInfo: { ...serverInfo, icons } }, since('2025-11-25'), /unknown member "icons"/],
    ['a description', { serverInfo: { ...serverInfo, description: 'd' } }, since('2025-11-25'), /unknown member "description"/],
    ['a website', { serverInfo: { ...serverInfo, websiteUrl: 'https://example.com/' } },
      since('2025-11-25'), /unknown member "websiteUrl"/],
    ['an unknown capability', { capabilities: { extensions: {} } }, [], /unknown member "extensions"/],
    ['a server without version', { serverInfo: { name: 's' } }, [], /required property 'version'/],
  ];
  for (const revision of revisions) {
    for (const [what, members, accepting, violation] of results) {
      const accepts = accepting.includes(revision);
      test(`${revision} ${accepts ? 'accepts' : 'rejects'} ${what}`, () => {
        const found = checkRecording(begin(revision, members).join('\n')).map(found => found.violation);
        if (accepts) assert.deepEqual(found, []);
        else assert.match(found.join('\n'), violation);
      });
    }
  }

  test('rejects an unknown revision', () => {
    assert.match(checkRecording(begin('2025-01-01').join('\n'))[0].violation, /unknown revision "2025-01-01"/);
  });

  test('is not needed: before it the newest legacy revision holds', () => {
    assert.deepEqual(checkRecording(listed({ icons }).join('\n')), []);
    assert.equal(checkRecording(server([])).length, 1);
  });
});

describe('a recording', () => {
  test('names the line of a violation', () => {
    const recording = [...begin('2025-11-25'), '', server('{'), server('[')].join('\n');
    assert.deepEqual(checkRecording(recording), [
      { line: 4, violation: 'not JSON' },
      { line: 5, violation: 'not JSON' },
    ]);
  });

  test('must be in the recording format', () => {
    assert.match(checkRecording('{"jsonrpc":"2.0"}')[0].violation, /no recorded line/);
    assert.match(checkRecording('nonsense')[0].violation, /no recorded line/);
    assert.match(checkRecording('{"from":"somebody","line":"{}"}')[0].violation, /neither client nor server/);
  });
});
