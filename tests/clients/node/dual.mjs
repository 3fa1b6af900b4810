// Connects the client of both eras, which asks a server first whether it is of the
// modern one.

import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { serverCommand } from './server.mjs';
import { WitnessedTransport } from './witness.mjs';

/** How a client can be told to choose the era: 'legacy', 'auto', and modern or nothing. */
export const modes = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

/** The revision that a client and a server must agree on, or undefined where they can't. */
export function agreed(build, mode) {
  if (build === 'unclamped' && mode !== 'legacy') return '2026-07-28';
  return mode === 'modern' ? undefined : '2025-11-25';
}

/** A stdio transport that starts a server of a build, with arguments. */
export function openTransport(build, server, serverArguments = []) {
  const { command, args, env } = serverCommand(build, server, serverArguments);
  return new StdioClientTransport({ command, args, env: { ...getDefaultEnvironment(), ...env }, stderr: 'ignore' });
}

/**
 * Starts a server with args and connects to it. model(params) answers sampling
 * questions; without it the client has no sampling. answers and on have a handler
 * for each method that the server may ask by or tell by; more are options of the
 * client's own. The client is closed when test t ends.
 * received has every message of the server, in order of arrival; ended resolves to
 * the exit code of its process.
 */
export async function connect(t, build, mode, server, { model, args, capabilities = {}, answers = {}, on = {}, more } = {}) {
  const client = new Client({ name: 'client-test', version: '1.0.0' }, {
    capabilities: model ? { ...capabilities, sampling: {} } : capabilities,
    versionNegotiation: { mode: modes[mode] },
    ...more,
  });
  const requests = model ? { ...answers, 'sampling/createMessage': ({ params }) => model(params) } : answers;
  for (const [method, answer] of Object.entries(requests)) client.setRequestHandler(method, answer);
  for (const [method, handle] of Object.entries(on)) client.setNotificationHandler(method, handle);
  const transport = new WitnessedTransport(openTransport(build, server, args));
  t.after(() => client.close());
  await client.connect(transport);
  return { client, received: transport.received, ended: transport.ended };
}
