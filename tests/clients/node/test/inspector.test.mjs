// The MCP Inspector's command line against each server.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from '../inspect.mjs';
import { builtInTools, ownTools, serverCommand } from '../server.mjs';

const target = server => {
  const { command, args, env } = serverCommand(server);
  return [...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]), command, ...args];
};
const call = (server, ...args) =>
  inspect(...target(server), '--method', 'tools/call', '--tool-name', ownTools[server].name, ...args);
const text = result => result.content.map(block => block.text).join('\n');
const toolFailed = 5;

describe('Inspector', { timeout: 120_000 }, () => {
  for (const server of Object.keys(ownTools)) {
    for (const era of ['legacy', 'auto']) {
      test(`lists the tools of ${server}, era ${era}`, async () => {
        const { status, result } = await inspect('--protocol-era', era, ...target(server), '--method', 'tools/list');
        assert.equal(status, 0);
        assert.deepEqual(result.tools.map(tool => tool.name), [ownTools[server].name, ...builtInTools]);
      });
    }

    test(`finds no portability problem in the tools of ${server}`, async () => {
      const { status } = await inspect(...target(server), '--method', 'tools/list', '--strict');
      assert.equal(status, 0);
    });
  }

  test('calls helloWorld', async () => {
    const { status, result } = await call('MCPServer_helloWorld', '--tool-arg', 'name=Ada');
    assert.equal(status, 0);
    assert.equal(text(result), 'How are you, Ada.');
  });

  test('shows what helloWorld misses', async () => {
    const { status, error } = await call('MCPServer_helloWorld');
    assert.notEqual(status, 0);
    assert.match(error.message, /Invalid Params \[Missing parameter: name\]/);
  });

  test('calls setReminder', async () => {
    const { status, result } = await call('MCPServer_setReminder', '--tool-arg', 'Reminder=tea', 'TimeoutMS=0');
    assert.equal(status, 0);
    assert.equal(text(result), 'Reminder set for 0ms: tea');
  });

  test('sets the log level of setReminder', async () => {
    const { status, result } = await inspect(
      ...target('MCPServer_setReminder'), '--method', 'logging/setLevel', '--log-level', 'warning');
    assert.deepEqual({ status, result }, { status: 0, result: {} });
  });

  test('shows that wordArt needs a model', async () => {
    const { status, result } = await call('MCPServer_wordArt', '--tool-arg', 'text=Hi');
    assert.equal(status, toolFailed);
    assert.equal(result.isError, true);
    assert.match(text(result), /sampling/);
  });
});
