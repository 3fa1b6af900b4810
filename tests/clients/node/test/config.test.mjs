// Servers registered in a configuration file, the way people do it, with the
// single-dash flags that such files have always had.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSDK, revisions } from '../connect.mjs';
import { inspect } from '../inspect.mjs';
import { ownTools, serverCommand } from '../server.mjs';

const failureGuard = { timeout: 60_000 };

function registered() {
  return Object.fromEntries(Object.keys(ownTools).map(server =>
    [ownTools[server].name, { type: 'stdio', ...serverCommand('clamped', server, ['-debug-']) }]));
}

function configFile(t, content) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

test('the Inspector serves a file of the mcpServers form', failureGuard, async t => {
  const file = configFile(t, { mcpServers: registered() });
  for (const { name } of Object.values(ownTools)) {
    const { status, result } = await inspect('--config', file, '--server', name, '--method', 'tools/list');
    assert.equal(status, 0, name);
    assert.equal(result.tools[0].name, name);
  }
});

test('a client serves a file of the servers form', failureGuard, async t => {
  const { Client, openTransport } = await loadSDK(revisions.at(-1));
  const { servers } = JSON.parse(readFileSync(configFile(t, { servers: registered() }), 'utf8'));
  for (const [name, registration] of Object.entries(servers)) {
    const client = new Client({ name: 'client-test', version: '1.0.0' });
    await client.connect(openTransport(registration));
    const { tools } = await client.listTools();
    await client.close();
    assert.equal(tools[0].name, name);
  }
});
