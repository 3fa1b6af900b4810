// How the tests start a server: the binary from MCP_BINARIES, behind a recorder
// if MCP_RECORDINGS names a directory for recordings.

import { mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const binaries = resolve(process.env.MCP_BINARIES || join(here, '../../../build/Release'));
const recordings = process.env.MCP_RECORDINGS && resolve(process.env.MCP_RECORDINGS);
let started = 0;

/** What each server says of its own tools in tools/list, before the built-in ones. */
export const ownTools = {
  MCPServer_helloWorld: { name: 'helloWorld', types: { name: 'string' }, required: ['name'] },
  MCPServer_setReminder: {
    name: 'setReminder',
    types: { Reminder: 'string', TimeoutMS: 'number' },
    required: ['Reminder', 'TimeoutMS'],
  },
  MCPServer_wordArt: { name: 'wordArt', types: { text: 'string', style: 'string' }, required: ['text'] },
};

export const builtInTools = ['about_tsar-mcp', 'readTrace'];

// Clients pass few variables on. The servers' trace files go where ours do.
const env = process.env.TMPDIR ? { TMPDIR: process.env.TMPDIR } : {};

/** Returns {command, args, env} that run a server; each call gets a recording of its own. */
export function serverCommand(name, args = []) {
  const binary = join(binaries, name);
  if (!recordings) return { command: binary, args, env };
  mkdirSync(recordings, { recursive: true });
  const test = basename(process.argv[1], '.test.mjs');
  const recording = join(recordings, `client-${test}-${String(++started).padStart(3, '0')}.jsonl`);
  return { command: process.execPath, args: [join(here, 'record.mjs'), recording, binary, ...args], env };
}
