// The official TypeScript client of both eras against both builds of each server:
// which era they agree on, and that one tool serves either.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Client, SdkErrorCode } from '@modelcontextprotocol/client';
import { agreed, connect, modes, openTransport } from '../dual.mjs';
import { mailbox } from '../mailbox.mjs';
import { builds, builtInTools, ownTools } from '../server.mjs';

const failureGuard = { timeout: 60_000 };
const invalidParams = -32602;
const missingCapability = -32021;

const text = result => result.content.filter(block => block.type === 'text').map(block => block.text).join('\n');
const modelSays = content => ({ model: 'test-model', role: 'assistant', content });
const draw = (client, options) => client.callTool({ name: 'wordArt', arguments: { text: 'Hi', style: 'tiny' } }, options);
const isRequest = message => message.method !== undefined && message.id !== undefined;

for (const build of builds) {
  for (const mode of Object.keys(modes)) {
    const revision = agreed(build, mode);
    const start = (t, server, options) => connect(t, build, mode, server, options);
    describe(`client of both eras, mode ${mode}, ${build} servers`, failureGuard, () => {
      for (const server of Object.keys(ownTools)) {
        if (revision) commonTests(start, revision, server);
        else test(`${server} is refused`, t => assert.rejects(start(t, server), { code: SdkErrorCode.EraNegotiationFailed }));
      }
      if (revision) describe('helloWorld', () => helloWorldTests(start));
      if (revision) describe('setReminder', () => (revision === '2026-07-28' ? modernReminderTests : legacyReminderTests)(start));
      if (revision) describe('wordArt', () => (revision === '2026-07-28' ? modernArtTests : legacyArtTests)(start));
    });
  }

  // This transport asks a process of its own for the era and starts another to talk to.
  test(`the client's own transport agrees with ${build} servers`, failureGuard, async t => {
    const client = new Client({ name: 'client-test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    t.after(() => client.close());
    await client.connect(openTransport(build, 'MCPServer_helloWorld'));
    assert.equal(client.getNegotiatedProtocolVersion(), agreed(build, 'auto'));
    assert.equal((await client.listTools()).tools[0].name, 'helloWorld');
  });
}

function commonTests(start, revision, server) {
  test(`${server} speaks ${revision}`, async t => {
    const { client, received } = await start(t, server);
    const isModern = revision === '2026-07-28';
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    assert.equal(client.getProtocolEra(), isModern ? 'modern' : 'legacy');
    assert.equal(client.getServerVersion().name, server);
    assert.deepEqual(client.getDiscoverResult()?.supportedVersions,
      isModern ? ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] : undefined);
    const about = text(await client.callTool({ name: 'about_tsar-mcp' }));
    assert.match(about, new RegExp(`^Client: ${revision} \\(client-test 1\\.0\\.0\\)$`, 'm'));
    assert.match(about, new RegExp(`^Speak: ${revision}$`, 'm'));
    assert.equal(received.some(message => message.result?.protocolVersion), !isModern, 'initialize');
  });

  test(`${server} lists its tools and refuses others`, async t => {
    const { client } = await start(t, server);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(tool => tool.name), [ownTools[server].name, ...builtInTools]);
    assert.deepEqual(tools[0].inputSchema.required, ownTools[server].required);
    await assert.rejects(client.callTool({ name: 'no such tool' }), { code: invalidParams });
  });

  test(`${server} ends with status 0 when the client closes`, async t => {
    const { client, ended } = await start(t, server);
    await client.listTools();
    await client.close();
    assert.equal(await ended, 0);
  });
}

function helloWorldTests(start) {
  test('answers calls in flight together', async t => {
    const { client } = await start(t, 'MCPServer_helloWorld');
    const names = Array.from({ length: 50 }, (_, i) => `guest ${i} 🦉`);
    const results = await Promise.all(names.map(name => client.callTool({ name: 'helloWorld', arguments: { name } })));
    assert.deepEqual(results.map(text), names.map(name => `How are you, ${name}.`));
  });

  test('names a missing argument', async t => {
    const { client } = await start(t, 'MCPServer_helloWorld');
    await assert.rejects(client.callTool({ name: 'helloWorld', arguments: {} }),
      { code: invalidParams, message: /Invalid Params \[Missing parameter: name\]/ });
  });
}

const remind = (client, Reminder, TimeoutMS) => client.callTool({ name: 'setReminder', arguments: { Reminder, TimeoutMS } });
const read = async (client, uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);

// Sets a reminder that is not due before subscribe(uri) is done, however slow that is.
async function remindSubscriber(client, uriOf, subscribe) {
  for (let timeout = 50; ; timeout *= 2) {
    const uri = uriOf(await remind(client, 'tea', timeout));
    const subscription = await subscribe(uri);
    const { reminder, isDue } = await read(client, uri);
    assert.equal(reminder, 'tea');
    if (!isDue) return { uri, subscription };
  }
}

function legacyReminderTests(start) {
  test('reminds by a log message', async t => {
    const { deliver, next } = mailbox();
    const { client, received } = await start(t, 'MCPServer_setReminder', { on: { 'notifications/message': ({ params }) => deliver(params) } });
    await client.setLoggingLevel('info');
    assert.deepEqual((await remind(client, 'tea', 0)).content, [{ type: 'text', text: 'Reminder set for 0ms: tea' }]);
    assert.deepEqual(await next(), { level: 'info', data: 'REMINDER: tea' });
    const answered = received.findIndex(message => message.result?.content);
    const reminded = received.findIndex(message => message.method === 'notifications/message');
    assert.ok(answered < reminded, `answer at ${answered}, reminder at ${reminded}`);
  });

  test('tells subscribers of the resource', async t => {
    const { deliver, next } = mailbox();
    const { client } = await start(t, 'MCPServer_setReminder', { on: { 'notifications/resources/updated': ({ params }) => deliver(params) } });
    let set = 0; // a legacy answer has no link; reminders are numbered
    const { uri } = await remindSubscriber(client, () => `reminder:///${++set}`, uri => client.subscribeResource({ uri }));
    assert.deepEqual(await next(), { uri });
    assert.equal((await read(client, uri)).isDue, true);
  });

  test('has no subscriptions of the modern era', async t => {
    const { client } = await start(t, 'MCPServer_setReminder');
    await assert.rejects(client.listen({}), { code: SdkErrorCode.MethodNotSupportedByProtocolVersion });
  });
}

function modernReminderTests(start) {
  const server = 'MCPServer_setReminder';
  const link = result => result.content.find(block => block.type === 'resource_link').uri;
  const listen = client => uri => client.listen({ resourceSubscriptions: [uri] });
  const startListening = async t => {
    const { deliver, next } = mailbox();
    return { ...await start(t, server, { on: { 'notifications/resources/updated': ({ params }) => deliver(params) } }), next };
  };

  test('links to the reminder, and tells who listens', async t => {
    const { client, received, next } = await startListening(t);
    const { uri, subscription } = await remindSubscriber(client, link, listen(client));
    assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [uri] });
    assert.equal((await next()).uri, uri);
    assert.equal((await read(client, uri)).isDue, true);
    assert.ok(!received.some(message => message.method === 'notifications/message'), 'a log message that nobody asked for');
  });

  test('tells nobody who has stopped listening', async t => {
    const { client, next } = await startListening(t);
    const closed = await client.listen({ resourceSubscriptions: ['reminder:///1'] });
    await closed.close();
    assert.equal(link(await remind(client, 'coffee', 0)), 'reminder:///1');
    const { uri } = await remindSubscriber(client, link, listen(client));
    assert.equal((await next()).uri, uri);
  });

  test('ends what is listened to, and then itself', async t => {
    const { client, received, ended } = await start(t, server);
    const { closed } = await client.listen({ resourceSubscriptions: ['reminder:///1'] });
    await client.close();
    assert.equal(await closed, 'graceful');
    assert.equal(received.at(-1).result.resultType, 'complete');
    assert.equal(await ended, 0);
  });
}

const asked = (params, questions) => {
  questions.push(params);
  return modelSays({ type: 'text', text: '=Hi=' });
};

function assertAskedOnce(questions) {
  assert.equal(questions.length, 1);
  assert.match(JSON.stringify(questions[0].messages), /Hi/);
  assert.match(JSON.stringify(questions[0].messages), /tiny/);
}

// A model that thinks about its first question until it is told the answer.
function slowModel() {
  const { deliver, next } = mailbox();
  let answerFirst;
  const first = new Promise(resolve => { answerFirst = () => resolve(modelSays({ type: 'text', text: 'first' })); });
  let questions = 0;
  const model = () => {
    if (++questions > 1) return modelSays({ type: 'text', text: 'second' });
    deliver({});
    return first;
  };
  return { model, isAsked: next, answerFirst };
}

async function cancelledCall(client, { isAsked, answerFirst }) {
  const cancel = new AbortController();
  const cancelled = assert.rejects(draw(client, { signal: cancel.signal }));
  await isAsked();
  cancel.abort('no longer needed');
  answerFirst();
  await cancelled;
}

const answersToCalls = received => received.filter(message => message.result?.content).length;

function legacyArtTests(start) {
  const server = 'MCPServer_wordArt';

  test('asks the model by a request', async t => {
    const questions = [];
    const { client, received } = await start(t, server, { model: params => asked(params, questions) });
    assert.deepEqual((await draw(client)).content, [{ type: 'text', text: '=Hi=' }]);
    assertAskedOnce(questions);
    assert.deepEqual(received.filter(isRequest).map(message => message.method), ['sampling/createMessage']);
  });

  test('says what a client without sampling lacks', async t => {
    const { client } = await start(t, server);
    const result = await draw(client);
    assert.equal(result.isError, true);
    assert.match(text(result), /sampling/);
  });

  test('drops a cancelled call and goes on', async t => {
    const slow = slowModel();
    const { client, received } = await start(t, server, slow);
    await cancelledCall(client, slow);
    assert.equal(text(await draw(client)), 'second');
    assert.equal(answersToCalls(received), 1, 'a cancelled call was answered');
  });
}

function modernArtTests(start) {
  const server = 'MCPServer_wordArt';

  test('asks the model by its answer', async t => {
    const questions = [];
    const { client, received } = await start(t, server, { model: params => asked(params, questions) });
    assert.deepEqual((await draw(client)).content, [{ type: 'text', text: '=Hi=' }]);
    assertAskedOnce(questions);
    assert.deepEqual(received.slice(-2).map(message => message.result.resultType), ['input_required', 'complete']);
    assert.deepEqual(received.filter(isRequest), []);
  });

  test('answers calls that ask at the same time', async t => {
    const { client } = await start(t, server, {
      model: ({ messages }) => modelSays({ type: 'text', text: messages[0].content.text.split('\n').at(-1) }),
    });
    const words = ['one', 'two', 'three', 'four'];
    const results = await Promise.all(words.map(word => client.callTool({ name: 'wordArt', arguments: { text: word } })));
    assert.deepEqual(results.map(text), words);
  });

  test('says that the model gave no text', async t => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const { client } = await start(t, server, { model: () => modelSays(image) });
    const result = await draw(client);
    assert.equal(result.isError, true);
    assert.match(text(result), /No output returned by LLM/);
  });

  test('says what a client without sampling lacks', async t => {
    const { client } = await start(t, server);
    await assert.rejects(draw(client), { code: missingCapability, data: { requiredCapabilities: { sampling: {} } } });
  });

  test('hears no more of a cancelled call and goes on', async t => {
    const slow = slowModel();
    const { client, received } = await start(t, server, slow);
    await cancelledCall(client, slow);
    assert.equal(text(await draw(client)), 'second');
    assert.equal(answersToCalls(received), 1, 'a cancelled call was answered');
  });
}
