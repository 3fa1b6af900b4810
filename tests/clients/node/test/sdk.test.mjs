// The official TypeScript client of the legacy era, one version of it per protocol
// revision, against both builds of each server.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, loadSDK, revisions } from '../connect.mjs';
import { builds, builtInTools, ownTools } from '../server.mjs';

const failureGuard = { timeout: 60_000 };
const invalidParams = -32602;

const text = result => result.content.map(block => block.text).join('\n');
const modelSays = content => ({ model: 'test-model', role: 'assistant', content });
const withSampling = (sdk, answer) => ({
  capabilities: { sampling: {} },
  prepare: client => client.setRequestHandler(sdk.types.CreateMessageRequestSchema, answer),
});
const draw = (client, options) =>
  client.callTool({ name: 'wordArt', arguments: { text: 'Hi' } }, undefined, options);

for (const revision of revisions) {
  const sdk = await loadSDK(revision);
  for (const build of builds) {
    const start = (t, server, options) => connect(t, sdk, build, server, options);
    describe(`SDK client, revision ${revision}, ${build} servers`, failureGuard, () => {
      for (const server of Object.keys(ownTools)) commonTests(start, sdk, revision, server);
      describe('helloWorld', () => helloWorldTests(start, sdk));
      describe('setReminder', () => setReminderTests(start, sdk));
      describe('wordArt', () => wordArtTests(start, sdk, revision));
    });
  }
}

function commonTests(start, sdk, revision, server) {
  test(`${server} initializes and lists its tools`, async t => {
    const { client, received } = await start(t, server);
    const { name, types, required } = ownTools[server];
    assert.equal(received[0].result.protocolVersion, revision);
    assert.equal(client.getServerVersion().name, server);

    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(tool => tool.name), [name, ...builtInTools]);
    const { properties, required: gotRequired } = tools[0].inputSchema;
    assert.deepEqual(Object.fromEntries(Object.entries(properties).map(([key, { type }]) => [key, type])), types);
    assert.deepEqual(gotRequired, required);
  });

  test(`${server} answers ping and its built-in tools`, async t => {
    const { client } = await start(t, server);
    assert.deepEqual(await client.ping(), {});
    const about = await client.callTool({ name: 'about_tsar-mcp' });
    assert.ok(!about.isError, text(about));
    assert.match(text(about), new RegExp(server));
    const trace = await client.callTool({ name: 'readTrace', arguments: { nLines: 5, tail: false } });
    assert.ok(!trace.isError, text(trace));
  });

  test(`${server} refuses an unknown tool`, async t => {
    const { client } = await start(t, server);
    await assert.rejects(client.callTool({ name: 'no such tool' }),
      error => error instanceof sdk.types.McpError && error.code === invalidParams);
  });

  test(`${server} ends with status 0 when the client closes`, async t => {
    const { client, ended } = await start(t, server);
    await client.ping();
    await client.close();
    assert.equal(await ended, 0);
  });
}

function helloWorldTests(start, sdk) {
  test('greets', async t => {
    const { client } = await start(t, 'MCPServer_helloWorld');
    const result = await client.callTool({ name: 'helloWorld', arguments: { name: 'Zoë "Z" 🦉' } });
    assert.deepEqual(result.content, [{ type: 'text', text: 'How are you, Zoë "Z" 🦉.' }]);
    assert.ok(!result.isError);
  });

  test('answers calls in flight together', async t => {
    const { client } = await start(t, 'MCPServer_helloWorld');
    const names = Array.from({ length: 50 }, (_, i) => `guest ${i}`);
    const results = await Promise.all(names.map(name => client.callTool({ name: 'helloWorld', arguments: { name } })));
    assert.deepEqual(results.map(text), names.map(name => `How are you, ${name}.`));
  });

  test('names a missing argument', async t => {
    const { client } = await start(t, 'MCPServer_helloWorld');
    await assert.rejects(client.callTool({ name: 'helloWorld', arguments: {} }), error => {
      assert.ok(error instanceof sdk.types.McpError, String(error));
      assert.equal(error.code, invalidParams);
      assert.match(error.message, /Invalid Params \[Missing parameter: name\]/);
      return true;
    });
  });

  test('tells the model about an argument of the wrong type', async t => {
    const { client } = await start(t, 'MCPServer_helloWorld');
    const result = await client.callTool({ name: 'helloWorld', arguments: { name: 7 } });
    assert.equal(result.isError, true);
    assert.match(text(result), /name/);
  });
}

function setReminderTests(start, sdk) {
  const server = 'MCPServer_setReminder';
  const remind = (client, Reminder, TimeoutMS) =>
    client.callTool({ name: 'setReminder', arguments: { Reminder, TimeoutMS } });

  async function connectWithLog(t) {
    let deliver;
    const reminder = new Promise(resolve => { deliver = resolve; });
    const connection = await start(t, server, {
      prepare: client => client.setNotificationHandler(sdk.types.LoggingMessageNotificationSchema,
        notification => deliver(notification.params)),
    });
    return { ...connection, reminder };
  }

  for (const timeout of [0, 20]) {
    test(`answers, then reminds after ${timeout} ms`, async t => {
      const { client, received, reminder } = await connectWithLog(t);
      assert.equal(text(await remind(client, 'tea', timeout)), `Reminder set for ${timeout}ms: tea`);
      const { level, data } = await reminder;
      assert.deepEqual({ level, data }, { level: 'info', data: 'REMINDER: tea' });
      const answered = received.findIndex(message => message.result?.content);
      const reminded = received.findIndex(message => message.method === 'notifications/message');
      assert.ok(answered < reminded, `answer at ${answered}, reminder at ${reminded}`);
    });
  }

  for (const timeout of [-1, 25 * 24 * 60 * 60 * 1000]) {
    test(`refuses to wait ${timeout} ms`, async t => {
      const { client } = await start(t, server);
      const result = await remind(client, 'never', timeout);
      assert.equal(result.isError, true, text(result));
    });
  }

  test('accepts a log level and reminds at it', async t => {
    const { client, reminder } = await connectWithLog(t);
    assert.ok(client.getServerCapabilities().logging);
    assert.deepEqual(await client.setLoggingLevel('info'), {});
    await remind(client, 'coffee', 0);
    assert.equal((await reminder).data, 'REMINDER: coffee');
  });

  test('refuses an unknown log level', async t => {
    const { client } = await start(t, server);
    await assert.rejects(client.setLoggingLevel('loud'), { code: invalidParams });
  });
}

function wordArtTests(start, sdk, revision) {
  const server = 'MCPServer_wordArt';

  test("returns the model's text", async t => {
    const asked = [];
    const { client } = await start(t, server, withSampling(sdk, ({ params }) => {
      asked.push(params);
      return modelSays({ type: 'text', text: '=Hi=' });
    }));
    const result = await client.callTool({ name: 'wordArt', arguments: { text: 'Hi', style: 'tiny' } });
    assert.ok(!result.isError, text(result));
    assert.equal(text(result), '=Hi=');
    assert.equal(asked.length, 1);
    const prompt = JSON.stringify(asked[0].messages);
    assert.match(prompt, /Hi/);
    assert.match(prompt, /tiny/);
  });

  if (revision >= '2025-11-25') {
    // This client's own handler admits no array; its fallback passes on what we say.
    test('returns the text of a model that answers in blocks', async t => {
      const blocks = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, { type: 'text', text: '=Hi=' }];
      const { client } = await start(t, server, {
        capabilities: { sampling: {} },
        prepare: client => { client.fallbackRequestHandler = async () => modelSays(blocks); },
      });
      assert.equal(text(await draw(client)), '=Hi=');
    });
  }

  test('says that the model gave no text', async t => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const { client } = await start(t, server, withSampling(sdk, () => modelSays(image)));
    const result = await draw(client);
    assert.equal(result.isError, true);
    assert.match(text(result), /No output returned by LLM/);
  });

  test("passes on the client's refusal", async t => {
    const { client } = await start(t, server, withSampling(sdk, () => {
      throw new Error('The user declined.');
    }));
    const result = await draw(client);
    assert.equal(result.isError, true);
    assert.match(text(result), /The user declined\./);
  });

  test('says what a client without sampling lacks', async t => {
    const { client, received } = await start(t, server);
    const result = await draw(client);
    assert.equal(result.isError, true);
    assert.match(text(result), /sampling/);
    assert.ok(!received.some(message => message.method), 'the server asked all the same');
  });

  test('drops a cancelled call and goes on', async t => {
    const answers = [];
    let asked;
    const firstQuestion = new Promise(resolve => { asked = resolve; });
    const { client, received } = await start(t, server, withSampling(sdk, () => new Promise(resolve => {
      answers.push(resolve);
      asked();
      if (answers.length === 2) resolve(modelSays({ type: 'text', text: 'second' }));
    })));
    const cancel = new AbortController();
    const cancelled = assert.rejects(draw(client, { signal: cancel.signal }));
    await firstQuestion;
    cancel.abort('no longer needed');
    await cancelled;
    answers[0](modelSays({ type: 'text', text: 'first' }));

    assert.deepEqual(await client.ping(), {});
    assert.equal(text(await draw(client)), 'second');
    const toolResults = received.filter(message => message.result?.content);
    assert.equal(toolResults.length, 1, 'a cancelled call was answered');
  });
}
