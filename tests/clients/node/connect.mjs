// Connects a client of one of the SDK versions to a server over stdio.

import { serverCommand } from './server.mjs';
import { WitnessedTransport } from './witness.mjs';

/** The client SDK to use for a revision: the newest that asks for it in initialize. */
const packages = {
  '2024-11-05': 'sdk-2024-11-05',
  '2025-03-26': 'sdk-2025-03-26',
  '2025-06-18': 'sdk-2025-06-18',
  '2025-11-25': '@modelcontextprotocol/sdk',
};

export const revisions = Object.keys(packages);

/** Imports the SDK that speaks a revision: its client, its message types, and its transport to a command. */
export async function loadSDK(revision) {
  const name = packages[revision];
  const [{ Client }, stdio, types] = await Promise.all(
    ['client/index.js', 'client/stdio.js', 'types.js'].map(file => import(`${name}/${file}`)));
  const openTransport = ({ command, args, env }) => new stdio.StdioClientTransport(
    { command, args, env: { ...stdio.getDefaultEnvironment(), ...env }, stderr: 'ignore' });
  return { Client, openTransport, types };
}

/**
 * Starts a server of a build with args and initializes it. prepare(client) may set
 * handlers before; more are options of the client's own. The client is closed when
 * test t ends. received has every message of the server, in order of arrival; ended
 * resolves to the exit code of its process.
 */
export async function connect(t, sdk, build, server, { args, capabilities = {}, prepare = () => {}, more } = {}) {
  const transport = new WitnessedTransport(sdk.openTransport(serverCommand(build, server, args)));
  const client = new sdk.Client({ name: 'client-test', version: '1.0.0' }, { capabilities, ...more });
  prepare(client);
  t.after(() => client.close());
  await client.connect(transport);
  return { client, received: transport.received, ended: transport.ended };
}
