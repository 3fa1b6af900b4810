// The MCP Inspector's command line against both builds of each server.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agreed, modes } from '../dual.mjs';
import { inspect, target } from '../inspect.mjs';
import { builds, builtInTools, ownTools } from '../server.mjs';

const toolFailed = 5;
const text = result => result.content.filter(block => block.type === 'text').map(block => block.text).join('\n');

for (const build of builds) {
  for (const era of Object.keys(modes)) {
    const revision = agreed(build, era);
    const run = (server, ...args) => inspect('--protocol-era', era, ...target(build, server), '--method', ...args);
    describe(`Inspector, era ${era}, ${build} servers`, { timeout: 120_000 }, () => {
      if (revision) eraTests(run, revision);
      else test('finds no modern server', async () => assert.notEqual((await run('MCPServer_helloWorld', 'tools/list')).status, 0));
    });
  }
  describe(`Inspector, ${build} servers`, { timeout: 120_000 }, () => toolTests(build));
}

function eraTests(run, revision) {
  test(`speaks ${revision}`, async () => {
    const { status, result } = await run('MCPServer_helloWorld', 'tools/call', '--tool-name', 'about_tsar-mcp');
    assert.equal(status, 0);
    assert.match(text(result), new RegExp(`^Speak: ${revision}$`, 'm'));
  });

  test('calls setReminder', async () => {
    const { status, result } = await run('MCPServer_setReminder', 'tools/call', '--tool-name', 'setReminder', '--tool-arg', 'Reminder=tea', 'TimeoutMS=0');
    assert.equal(status, 0);
    assert.equal(text(result), 'Reminder set for 0ms: tea');
    assert.equal(result.content.some(block => block.type === 'resource_link'), revision === '2026-07-28');
  });

  test('shows that wordArt needs a model', async () => {
    const { status, result, error } = await run('MCPServer_wordArt', 'tools/call', '--tool-name', 'wordArt', '--tool-arg', 'text=Hi');
    if (revision === '2026-07-28') {
      assert.notEqual(status, 0);
      assert.match(error.message, /Missing Required Client Capability \[sampling\]/);
      return;
    }
    assert.equal(status, toolFailed);
    assert.equal(result.isError, true);
    assert.match(text(result), /sampling/);
  });
}

function toolTests(build) {
  const run = (server, ...args) => inspect(...target(build, server), '--method', ...args);

  for (const server of Object.keys(ownTools)) {
    test(`lists the tools of ${server} and finds no portability problem in them`, async () => {
      const { status, result } = await inspect('--protocol-era', 'auto', ...target(build, server), '--method', 'tools/list', '--strict');
      assert.equal(status, 0);
      assert.deepEqual(result.tools.map(tool => tool.name), [ownTools[server].name, ...builtInTools]);
    });
  }

  test('calls helloWorld', async () => {
    const { status, result } = await run('MCPServer_helloWorld', 'tools/call', '--tool-name', 'helloWorld', '--tool-arg', 'name=Ada');
    assert.equal(status, 0);
    assert.equal(text(result), 'How are you, Ada.');
  });

  test('shows what helloWorld misses', async () => {
    const { status, error } = await run('MCPServer_helloWorld', 'tools/call', '--tool-name', 'helloWorld');
    assert.notEqual(status, 0);
    assert.match(error.message, /Invalid Params \[Missing parameter: name\]/);
  });

  test('sets the log level of setReminder', async () => {
    const { status, result } = await run('MCPServer_setReminder', 'logging/setLevel', '--log-level', 'warning');
    assert.deepEqual({ status, result }, { status: 0, result: {} });
  });
}
