// What MCPServer_everything tells the official TypeScript clients of its own accord:
// that a list has changed, and that a resource has; and that it ends when they do.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailbox } from '../mailbox.mjs';
import { pairings } from '../pairings.mjs';

const failureGuard = { timeout: 60_000 };
const together = { concurrency: 8 }; // most of the time they wait for a resource that changes every two seconds
const said = result => result.content[0].text;
const watched = 'test://watched-resource';

// [the list, the tool that changes it, what that adds, how it is used]
const lists = [
  ['tools', 'test_trigger_tool_change', 'addedTool', async ({ call }) => said(await call('addedTool'))],
  ['prompts', 'test_trigger_prompt_change', 'addedPrompt',
    async ({ client }) => (await client.getPrompt({ name: 'addedPrompt' })).messages[0].content.text],
  ['resources', 'toggleResource', 'added-resource',
    async ({ client }) => (await client.readResource({ uri: 'test://added-resource' })).contents[0].text],
];

describe('everything tells', { ...failureGuard, ...together }, () => {
  for (const { name, isModern, open } of pairings) {
    describe(name, together, () => {
      listTests(open);
      watchTests(open, isModern);
      leaveTests(open, isModern);
      if (isModern) listenTests(open);
    });
  }
});

function listTests(open) {
  for (const [list, change, added, use] of lists) {
    test(`a client that gets its ${list} again`, async t => {
      const { deliver, next } = mailbox();
      const onChanged = (error, entries) => deliver(error ?? entries.map(entry => entry.name));
      const session = await open(t, { more: { listChanged: { [list]: { autoRefresh: true, debounceMs: 0, onChanged } } } });
      // Some changes are told twice; the client then gets the list twice.
      const awaitList = async isListed => {
        for (let names; names = await next();) {
          assert.ok(Array.isArray(names), String(names));
          if (names.includes(added) === isListed) return;
        }
      };
      await session.call(change);
      await awaitList(true);
      assert.match(await use(session), /was added while the server ran\.$/);
      await session.call(change);
      await awaitList(false);
      await assert.rejects(use(session));
    });
  }
}

async function watch(client, isModern) {
  if (isModern) return client.listen({ resourceSubscriptions: [watched] });
  await client.subscribeResource({ uri: watched });
  return { close: () => client.unsubscribeResource({ uri: watched }) };
}

async function isWatched(client) {
  const { contents } = await client.readResource({ uri: watched });
  return JSON.parse(contents[0].text).isWatched;
}

// The resource learns of its subscribers beside what the client is answered, and the
// server learns of the end of a modern subscription by a notification.
async function until(client, expected) {
  while (await isWatched(client) !== expected);
}

function watchTests(open, isModern) {
  const watching = () => {
    const { deliver, next } = mailbox();
    return [{ on: { 'notifications/resources/updated': ({ params }) => deliver(params.uri) } }, next];
  };

  test('a client that watches a resource', async t => {
    const [options, next] = watching();
    const { client } = await open(t, options);
    assert.equal(await isWatched(client), false);
    const subscription = await watch(client, isModern);
    await until(client, true);
    assert.equal(await next(), watched);
    const { contents } = await client.readResource({ uri: watched });
    assert.ok(JSON.parse(contents[0].text).changes >= 1);
    await subscription.close();
    await until(client, false);
  });

  test('a client that watches a resource again', async t => {
    const [options, next] = watching();
    const { client } = await open(t, options);
    await (await watch(client, isModern)).close();
    await until(client, false);
    await watch(client, isModern);
    assert.equal(await next(), watched);
  });
}

// A server that waits for what cannot come any more is killed by these clients.
function leaveTests(open, isModern) {
  test('a client that leaves while it watches and is asked', async t => {
    const { deliver, next } = mailbox();
    const { client, call, ended } = await open(t, {
      capabilities: { sampling: {} },
      answers: { 'sampling/createMessage': () => new Promise(deliver) }, // does not answer
    });
    await watch(client, isModern);
    const answer = call('test_missing_capability');
    await next();
    await client.close();
    assert.equal(await ended, 0);
    if (!isModern) assert.match(said(await answer), /input has ended/); // since 2026-07-28 no call is open meanwhile
  });
}

function listenTests(open) {
  test('a client that listens to some of it only', async t => {
    const heard = [];
    const { deliver, next } = mailbox();
    const on = Object.fromEntries(['tools', 'prompts', 'resources'].map(list => [`notifications/${list}/list_changed`, () => {
      heard.push(list);
      deliver(list);
    }]));
    const { client, call, received } = await open(t, { on });
    const prompts = await client.listen({ promptsListChanged: true });
    assert.deepEqual(prompts.honoredFilter, { promptsListChanged: true });
    await call('test_trigger_tool_change');
    await call('test_trigger_prompt_change');
    assert.equal(await next(), 'prompts');

    const tools = await client.listen({ toolsListChanged: true, resourceSubscriptions: [watched] });
    assert.deepEqual(tools.honoredFilter, { toolsListChanged: true, resourceSubscriptions: [watched] });
    await prompts.close();
    await call('test_trigger_tool_change');
    assert.equal(await next(), 'tools');
    assert.deepEqual(heard, ['prompts', 'tools']);
    const streams = received.filter(message => message.method?.endsWith('list_changed'))
      .map(({ params }) => params._meta['io.modelcontextprotocol/subscriptionId']);
    assert.equal(new Set(streams).size, 2);
  });
}
