// How the tests start a server: the binary of one of the builds, behind a recorder
// if MCP_RECORDINGS names a directory for recordings.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = (variable, fallback) => resolve(process.env[variable] || join(here, '../../../build', fallback));
const recordings = process.env.MCP_RECORDINGS && resolve(process.env.MCP_RECORDINGS);
let started = 0;

/** The folder of each build: one whose servers end at 2025-11-25, and one that serves 2026-07-28 as well. */
const binaries = {
  clamped: folder('MCP_BINARIES', 'Release'),
  unclamped: folder('MCP_BINARIES_UNCLAMPED', 'unclamped'),
};

export const builds = Object.keys(binaries);

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

// What the servers leave behind, traces and the key file, goes into a folder that
// goes away with this process.
const kept = mkdtempSync(join(tmpdir(), 'mcp-servers-'));
process.on('exit', () => rmSync(kept, { recursive: true, force: true }));
const env = Object.fromEntries(
  ['TMPDIR', 'TMP', 'TEMP', 'HOME', 'XDG_CONFIG_HOME', 'APPDATA'].map(variable => [variable, kept]));

/** Returns {command, args, env} that run a server; each call gets a recording of its own. */
export function serverCommand(build, name, args = []) {
  const binary = join(binaries[build], name);
  if (!recordings) return { command: binary, args, env };
  mkdirSync(recordings, { recursive: true });
  const test = basename(process.argv[1], '.test.mjs');
  const recording = join(recordings, `client-${test}-${build}-${String(++started).padStart(3, '0')}.jsonl`);
  return { command: process.execPath, args: [join(here, 'record.mjs'), recording, binary, ...args], env };
}
