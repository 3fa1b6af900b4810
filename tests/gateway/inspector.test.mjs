// The MCP Inspector's command line, in front of each server and in front of the
// gateway.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from '../clients/node/inspect.mjs';
import { by, fleetFile, gateways, served } from './fleet.mjs';

/** Runs the Inspector for an entry of the fleet. */
const run = (name, method, ...more) => inspect('--config', fleetFile, '--server', name, '--method', method, ...more);

/** What the servers of npm have, by the Inspector's own account. */
const asked = [
  { server: 'npm-everything', lists: ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] },
  { server: 'npm-filesystem', lists: ['tools/list'] },
  { server: 'npm-memory', lists: ['tools/list', 'resources/list'] },
  { server: 'npm-thinking', lists: ['tools/list'] },
];

const members = {
  'tools/list': ['tools', 'name'],
  'prompts/list': ['prompts', 'name'],
  'resources/list': ['resources', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
};

const calls = [
  ['npm-everything', 'echo', 'message=some text'],
  ['npm-everything', 'get-sum', 'a=1', 'b=x'],
  ['everything-2026', 'weather', 'city=Paris', 'days=1'],
  ['helloWorld', 'helloWorld'],
];

const known = new Map();

/** What run gives for a server, which needs to be asked but once. */
function direct(...asked) {
  const key = JSON.stringify(asked);
  if (!known.has(key)) known.set(key, run(...asked));
  return known.get(key);
}

async function result(outcome) {
  const { status, result, error } = await outcome;
  assert.equal(status, 0, JSON.stringify(error));
  return result;
}

for (const gateway of gateways) {
  describe(`Inspector, ${gateway}`, { timeout: 240_000 }, () => {
    for (const [method, [member, key]] of Object.entries(members)) {
      test(`lists by ${method} what the servers list`, async () => {
        const through = by(key, (await result(run(gateway, method)))[member]);
        for (const { server } of asked.filter(({ lists }) => lists.includes(method))) {
          const listed = (await result(direct(server, method)))[member].filter(entry => entry.execution?.taskSupport !== 'required');
          assert.notEqual(listed.length, 0);
          for (const entry of listed) {
            const wanted = key === 'name' ? served(server, entry) : entry;
            assert.deepEqual(through[wanted[key]], wanted);
          }
        }
      });
    }

    for (const [server, tool, ...args] of calls) {
      test(`calls ${tool} of ${server} with ${args.join(', ') || 'nothing'}`, async () => {
        const call = name => ['tools/call', '--tool-name', name, ...(args.length > 0 ? ['--tool-arg', ...args] : [])];
        const name = `${server}.${tool}`;
        const through = await run(gateway, ...call(name));
        // The Inspector itself tells of a failure by the name.
        if (through.error) through.error.message = through.error.message.replace(`'${name}'`, `'${tool}'`);
        assert.deepEqual(through, await direct(server, ...call(tool)));
      });
    }

    test('gets prompts and reads resources', async () => {
      const prompt = name => ['--prompt-name', name, '--prompt-args', 'city=Paris'];
      assert.deepEqual(await result(run(gateway, 'prompts/get', ...prompt('npm-everything.args-prompt'))),
        await result(direct('npm-everything', 'prompts/get', ...prompt('args-prompt'))));
      for (const [server, uri] of [['npm-everything', 'demo://resource/dynamic/text/3'], ['npm-memory', 'memory://knowledge-graph']]) {
        const read = ['resources/read', '--uri', uri];
        assert.deepEqual(await result(run(gateway, ...read)), await result(direct(server, ...read)));
      }
    });
  });
}
