// Keeps the MCP Inspector connected to a server over many commands, which lets a
// person answer what the server asks.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { target } from './inspect.mjs';

const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js'));

/**
 * Connects to a server of a build in an era. The function that it returns runs one
 * command and gives the JSON that this prints. The connection ends with test t.
 */
export async function keepConnected(t, build, era, server) {
  const folder = mkdtempSync(join(tmpdir(), 'inspector-')); // of a daemon that is this test's own
  const env = {
    ...process.env,
    HOME: folder,
    MCP_INSPECTOR_DAEMON_DIR: folder,
    MCP_INSPECTOR_DAEMON_TOKEN: randomUUID(),
    MCP_INSPECTOR_SECRET_STORE: 'memory', // never a keychain
  };
  const run = async (...args) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--format', 'json', ...args], { env });
    return JSON.parse(stdout);
  };
  t.after(async () => {
    await run('daemon', 'stop');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const [variables, command] = split(target(build, server));
  const { name } = await run('connect', '--era', era, ...variables, '--', ...command);
  return (...args) => run('--connection', name, ...args);
}

// The -e options come before what they are for.
function split(named) {
  const end = named.findLastIndex(word => word === '-e') + 2;
  return [named.slice(0, end), named.slice(end)];
}
