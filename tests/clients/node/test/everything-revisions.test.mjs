// MCPServer_everything has things that earlier revisions have not: clients of those
// must be able to read all that it sends them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect, loadSDK, revisions } from '../connect.mjs';
import { picture, server } from '../everything.mjs';
import { builds } from '../server.mjs';

const failureGuard = { timeout: 60_000 };
const blocks = {
  '2024-11-05': ['text', 'image', 'text', 'text', 'resource', 'resource'],
  '2025-03-26': ['text', 'image', 'audio', 'text', 'resource', 'resource'],
  '2025-06-18': ['text', 'image', 'audio', 'resource_link', 'resource', 'resource'],
};

for (const revision of revisions.filter(revision => revision in blocks)) {
  const sdk = await loadSDK(revision);
  for (const build of builds) {
    describe(`everything for a client of ${revision}, ${build} build`, failureGuard, () => revisionTests(sdk, revision, build));
  }
}

function revisionTests(sdk, revision, build) {
  const start = (t, options) => connect(t, sdk, build, server, options);

  test('lists all it has', async t => {
    const { client } = await start(t);
    assert.equal((await client.listTools()).tools.length, 39);
    assert.equal((await client.listPrompts()).prompts.length, 6);
    assert.equal((await client.listResources()).resources.length, 5);
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
  });

  // The client reads each answer by the schema of its revision.
  test('answers each tool', async t => {
    const { client } = await start(t);
    const given = {
      weather: { city: 'Rome', days: 1 }, json_schema_2020_12_tool: { email: 'ada@example.com' }, longRunning: { seconds: 0 },
      answerLater: { seconds: 0 }, test_sampling: { prompt: 'Hi' }, test_elicitation: { message: 'Hi' },
      readTrace: { nLines: 1, tail: true }, getPrompt: { name: 'test_simple_prompt' },
    };
    for (const { name } of (await client.listTools()).tools) {
      const { content } = await client.callTool({ name, arguments: given[name] ?? {} });
      assert.ok(content.length > 0, name);
    }
  });

  test('shows what it knows, and says what it does not', async t => {
    const { client } = await start(t);
    const { content } = await client.callTool({ name: 'test_multiple_content_types' });
    assert.deepEqual(content.map(block => block.type), blocks[revision]);
    assert.equal(content[1].data, picture);
    assert.match(content[3].text ?? content[3].uri, /test:\/\/static-binary/);
    assert.equal(content[5].resource.blob, picture);
  });

  test('gives prompts, contents and completions', async t => {
    const { client } = await start(t);
    const { messages } = await client.getPrompt({ name: 'travel', arguments: { country: 'Italy' } });
    assert.equal(messages.length, 3);
    for (const { uri } of (await client.listResources()).resources) {
      assert.ok((await client.readResource({ uri })).contents.length > 0, uri);
    }
    const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'travel' }, argument: { name: 'country', value: 'G' } });
    assert.deepEqual(completion.values, ['Germany', 'Greece']);
  });

  test('asks the model', async t => {
    const { client } = await start(t, {
      capabilities: { sampling: {} },
      prepare: client => client.setRequestHandler(sdk.types.CreateMessageRequestSchema,
        () => ({ model: 'test-model', role: 'assistant', content: { type: 'text', text: 'Yes.' } })),
    });
    const { content } = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Hi' } });
    assert.equal(content[0].text, 'LLM response: Yes.');
  });

  if (revision < '2025-06-18') {
    test('has no forms', async t => {
      const { client } = await start(t);
      const { isError, content } = await client.callTool({ name: 'fillInForm' });
      assert.equal(isError, true);
      assert.match(content[0].text, /elicitation/);
    });
    return;
  }

  test('shows forms with what the revision has', async t => {
    const { client } = await start(t, {
      capabilities: { elicitation: {} },
      prepare: client => client.setRequestHandler(sdk.types.ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada', age: 36 } })),
    });
    const defaults = await client.callTool({ name: 'test_elicitation_sep1034_defaults' });
    assert.equal(defaults.content[0].text, 'You answered: {"name":"Ada","age":36,"score":95.5,"status":"active","verified":true}');
    const later = await client.callTool({ name: 'fillInForm' });
    assert.equal(later.isError, true);
    assert.match(later.content[0].text, /2025-06-18 has no arrays/);
  });
}
