// What MCPServer_everything has to offer, as the official TypeScript clients see it:
// content, schemas, prompts, resources, completion and pages.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { picture, shows, sound } from '../everything.mjs';
import { pairings } from '../pairings.mjs';

const failureGuard = { timeout: 60_000 };
const invalidParams = -32602;
const legacyNotFound = -32002;
const said = result => result.content[0].text;

for (const { name, isModern, open } of pairings) {
  describe(`everything offers: ${name}`, failureGuard, () => {
    describe('tools', () => toolTests(open));
    describe('prompts', () => promptTests(open));
    describe('resources', () => resourceTests(open, isModern));
    describe('completion', () => completionTests(open));
    describe('pages', () => pageTests(open));
  });
}

function toolTests(open) {
  test('answers with every kind of content', async t => {
    const { call } = await open(t);
    const { content } = await call('test_multiple_content_types');
    assert.deepEqual(content.map(block => block.type), ['text', 'image', 'audio', 'resource_link', 'resource', 'resource']);
    assert.equal(content[1].data, picture);
    assert.equal(content[2].data, sound);
    assert.deepEqual(content[3].annotations, { audience: ['user'] });
    assert.equal(content[5].resource.blob, picture);
  });

  test('annotates content', async t => {
    const { call } = await open(t);
    const { content: [first, second, third], _meta } = await call('annotatedContent');
    assert.deepEqual(first.annotations, { audience: ['user'], priority: 1, lastModified: '2025-11-25T12:00:00Z' });
    assert.deepEqual(first._meta, shows('a block'));
    assert.deepEqual(second.annotations, { audience: ['assistant'], priority: 0.5 });
    assert.equal(third.annotations.priority, 0);
    assert.equal(_meta['everything.example/shows'], shows('a result')['everything.example/shows']);
  });

  // Once a client has listed the tools, it checks what they give against their schemas.
  test('gives structured content that fits the schema', async t => {
    const { client, call } = await open(t);
    const { tools } = await client.listTools();
    const { outputSchema } = tools.find(tool => tool.name === 'weather');
    assert.deepEqual(outputSchema.required, ['city', 'today', 'forecast']);
    for (const days of [0, 1, 7]) {
      const { structuredContent, content } = await call('weather', { city: 'Zürich 🏔', days });
      assert.equal(structuredContent.forecast.length, days);
      assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    }
  });

  test('says which argument does not fit the schema', async t => {
    const { client, call } = await open(t);
    await client.listTools();
    const wrong = [
      [await call('weather', { city: 'Rome', days: 8 }), /days/],
      [await call('weather', { city: 7 }), /city: must be a string/],
      [await call('json_schema_2020_12_tool', { contactMethod: 'phone', email: 'ada@example.com' }), /phone: is missing/],
    ];
    for (const [result, phrase] of wrong) {
      assert.equal(result.isError, true, said(result));
      assert.match(said(result), phrase);
    }
  });

  test('lists a schema as it was written', async t => {
    const { page } = await open(t);
    const { tools } = await page('tools/list');
    const { inputSchema } = tools.find(tool => tool.name === 'json_schema_2020_12_tool');
    assert.equal(inputSchema.$defs.address.$anchor, 'addressDef');
    assert.deepEqual(Object.keys(inputSchema).filter(member => ['if', 'then', 'else', 'allOf'].includes(member)), ['allOf', 'if', 'then', 'else']);
  });

  test('says that a tool has failed', async t => {
    const { call } = await open(t);
    const result = await call('test_error_handling');
    assert.equal(result.isError, true);
    assert.equal(said(result), 'This tool intentionally returns an error for testing');
  });
}

function promptTests(open) {
  test('gives a conversation', async t => {
    const { client } = await open(t);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.find(prompt => prompt.name === 'travel').arguments.map(argument => argument.required ?? false), [true, false]);
    const { description, messages } = await client.getPrompt({ name: 'travel', arguments: { country: 'Italy', city: 'Rome' } });
    assert.equal(description, 'A journey to Rome, Italy');
    assert.deepEqual(messages.map(message => message.role), ['user', 'assistant', 'user']);
  });

  test('gives an image and an embedded resource', async t => {
    const { client } = await open(t);
    const image = await client.getPrompt({ name: 'test_prompt_with_image' });
    assert.deepEqual(image.messages[0].content, { type: 'image', data: picture, mimeType: 'image/png' });
    const embedded = await client.getPrompt({ name: 'test_prompt_with_embedded_resource', arguments: { resourceUri: 'test://any' } });
    assert.equal(embedded.messages[0].content.resource.uri, 'test://any');
  });

  test('refuses unknown prompts and missing arguments', async t => {
    const { client } = await open(t);
    await assert.rejects(client.getPrompt({ name: 'nope' }), { code: invalidParams });
    await assert.rejects(client.getPrompt({ name: 'travel', arguments: { city: 'Rome' } }), { code: invalidParams, message: /country/ });
  });

  test('is offered by tools as well', async t => {
    const { call } = await open(t);
    assert.equal(JSON.parse(said(await call('listPrompts'))).length, 6);
    const { content } = await call('getPrompt', { name: 'travel', arguments: { country: 'Italy' } });
    assert.deepEqual(content.map(block => block.text.split(':')[0]), ['user', 'assistant', 'user']);
  });
}

const bytesIn = ({ text, blob }) => (blob === undefined ? Buffer.from(text) : Buffer.from(blob, 'base64')).length;

function resourceTests(open, isModern) {
  test('reads what is listed', async t => {
    const { client } = await open(t);
    const { resources } = await client.listResources();
    for (const { uri, mimeType, size } of resources) {
      const { contents } = await client.readResource({ uri });
      assert.equal(contents[0].uri, uri);
      if (mimeType) assert.equal(contents[0].mimeType, mimeType);
      if (size !== undefined) assert.equal(bytesIn(contents[0]), size);
    }
    const { contents } = await client.readResource({ uri: 'test://example-resource' });
    assert.deepEqual(contents.map(({ blob }) => blob), [undefined, picture]);
  });

  test('reads by a template', async t => {
    const { client } = await open(t);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(template => template.uriTemplate), ['test://template/{id}/data', 'test://weather/{country}/{city}']);
    const { contents } = await client.readResource({ uri: 'test://template/%C3%A9%2F1/data' });
    assert.equal(JSON.parse(contents[0].text).id, 'é/1');
  });

  test('refuses what is not there', async t => {
    const { client, received } = await open(t);
    await assert.rejects(client.readResource({ uri: 'test://nothing' }), { message: /Resource Not Found/ });
    assert.equal(received.at(-1).error.code, isModern ? invalidParams : legacyNotFound); // clients may report another one
    assert.deepEqual(received.at(-1).error.data, { uri: 'test://nothing' });
  });
}

function completionTests(open) {
  const travel = { type: 'ref/prompt', name: 'travel' };
  const weather = { type: 'ref/resource', uri: 'test://weather/{country}/{city}' };
  const cases = [
    ['an argument of a prompt', travel, ['country', 'G'], undefined, ['Germany', 'Greece']],
    ['an argument by another one', travel, ['city', ''], { country: 'Italy' }, ['Milan', 'Naples', 'Rome']],
    ['an argument while the other one is open', travel, ['city', 'm'], undefined, ['Marseille', 'Milan', 'Munich']],
    ['a variable of a template', weather, ['country', 'fr'], undefined, ['France']],
    ['a variable by another one', weather, ['city', 'k'], { country: 'Japan' }, ['Kyoto']],
    ['nothing', travel, ['country', 'X'], undefined, []],
  ];
  for (const [what, ref, [name, value], chosen, values] of cases) {
    test(`suggests ${what}`, async t => {
      const { client } = await open(t);
      const { completion } = await client.complete({ ref, argument: { name, value }, ...(chosen && { context: { arguments: chosen } }) });
      assert.deepEqual(completion, { values, total: values.length, hasMore: false });
    });
  }

  test('suggests the first hundred of many', async t => {
    const { client } = await open(t);
    const ref = { type: 'ref/resource', uri: 'test://template/{id}/data' };
    const suggest = async value => (await client.complete({ ref, argument: { name: 'id', value } })).completion;
    const { values, ...rest } = await suggest('');
    assert.equal(values.length, 100);
    assert.deepEqual(rest, { total: 999, hasMore: true });
    assert.deepEqual((await suggest('99')).total, 11);
  });

  test('refuses what there is not', async t => {
    const { client } = await open(t);
    for (const ref of [{ type: 'ref/prompt', name: 'nope' }, { type: 'ref/resource', uri: 'test://nope/{id}' }]) {
      await assert.rejects(client.complete({ ref, argument: { name: 'id', value: '' } }), { code: invalidParams });
    }
  });
}

function pageTests(open) {
  const lists = {
    'tools/list': ['tools', 'test_trigger_tool_change'],
    'prompts/list': ['prompts', 'test_trigger_prompt_change'],
    'resources/list': ['resources', 'toggleResource'],
    'resources/templates/list': ['resourceTemplates', 'toggleResource'],
  };
  const key = entry => entry.uri ?? entry.uriTemplate ?? entry.name;

  async function allPages(page, method, cursor) {
    const pages = [];
    do {
      const result = await page(method, cursor);
      pages.push(result[lists[method][0]].map(key));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return pages;
  }

  for (const [method, [, change]] of Object.entries(lists)) {
    for (const size of [1, 4]) {
      test(`has the whole of ${method} on pages of ${size}`, async t => {
        const whole = (await allPages((await open(t)).page, method)).flat();
        const { page } = await open(t, { args: ['--page-size', String(size)] });
        const pages = await allPages(page, method);
        assert.equal(pages.length, Math.ceil(whole.length / size));
        assert.ok(pages.slice(0, -1).every(page => page.length === size), 'a page that is not full');
        assert.deepEqual(pages.flat(), whole);
      });
    }

    test(`goes on through ${method} when it has changed`, async t => {
      const { page, call } = await open(t, { args: ['--page-size', '1'] });
      const first = await page(method);
      await call(change);
      const rest = (await allPages(page, method, first.nextCursor)).flat();
      const now = (await allPages(page, method)).flat();
      assert.deepEqual([...first[lists[method][0]].map(key), ...rest], now);
    });

    test(`refuses a cursor of ${method} that it has not given`, async t => {
      const { page } = await open(t, { args: ['--page-size', '1'] });
      const { nextCursor } = await page(method);
      for (const cursor of ['', 'nonsense', nextCursor.slice(0, -1), `${nextCursor}A`]) {
        await assert.rejects(page(method, cursor), { code: invalidParams }, `cursor ${cursor}`);
      }
    });
  }
}
