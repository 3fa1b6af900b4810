// Runs the MCP Inspector's command line, the way a person does from a shell.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { serverCommand } from './server.mjs';

const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js'));

/** Returns {status, result, error} of one run; result and error are what it printed on stdout and stderr, parsed. */
export async function inspect(...args) {
  const options = ['--cli', ...args, '--format', 'json', '--quiet'];
  const child = spawn(process.execPath, [inspector, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' }, // never a keychain
  });
  const [stdout, stderr, status] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ]);
  return { status, result: parse(stdout)?.result, error: parse(stderr)?.error };
}

/** What names a server of a build to the Inspector. */
export function target(build, server) {
  const { command, args, env } = serverCommand(build, server);
  return [...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]), command, ...args];
}

function parse(chunks) {
  const printed = Buffer.concat(chunks).toString();
  try {
    return printed.trim() === '' ? undefined : JSON.parse(printed);
  } catch {
    throw new Error(`the Inspector printed no JSON: ${printed}`);
  }
}
