// The MCP Inspector's command line walks through all that MCPServer_everything has.
// Each step starts the Inspector anew, so each build is walked through in one era.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { picture, server, shows, sound } from '../everything.mjs';
import { inspect, target } from '../inspect.mjs';

const failed = 1;
const toolFailed = 5;
// The Inspector says that it has roots, and nothing else that it can be asked for.
const missing = 'missing';

const text = (said, more) => ({ type: 'text', text: said, ...more });
const image = { type: 'image', data: picture, mimeType: 'image/png' };
const audio = { type: 'audio', data: sound, mimeType: 'audio/wav' };
const embeddedText = {
  type: 'resource',
  resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
};
const embeddedPicture = { type: 'resource', resource: { uri: 'test://static-binary', mimeType: 'image/png', blob: picture } };
const icons = [{ src: `data:image/png;base64,${picture}`, mimeType: 'image/png', sizes: ['32x32'] }];
const linkToPicture = {
  type: 'resource_link',
  uri: 'test://static-binary',
  name: 'static-binary',
  title: 'A face that smiles',
  description: 'Read this resource to see it.',
  mimeType: 'image/png',
  size: Buffer.from(picture, 'base64').length,
  icons,
  annotations: { audience: ['user'] },
};

const answers = (...content) => ({ content });
const says = said => answers(text(said));
const takes = (given, result) => ({ given: JSON.stringify(given), ...result });
const needs = (...capabilities) => ({ [missing]: capabilities });
const matches = (...patterns) => ({ patterns });

const weather = {
  city: 'Rome',
  today: { sky: 'cloudy', celsius: 28, humidity: 12 },
  forecast: [{ sky: 'cloudy', celsius: 1, humidity: 82 }],
};
const travelFrom = place => [`I am going to travel to ${place}.`, 'How nice! What would you like to know?',
  'What should I see there, and what should I pack?'];
const roles = ['user', 'assistant', 'user'];

// Each prompt: the arguments that it is got with, and what it gives with them.
const userSays = content => ({ role: 'user', content });
const prompts = {
  test_simple_prompt: { messages: [userSays(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    given: ['arg1=a b', 'arg2=c'],
    messages: [userSays(text("Prompt with arguments: arg1='a b', arg2='c'"))],
  },
  test_prompt_with_embedded_resource: {
    given: ['resourceUri=test://any'],
    messages: [
      userSays({ type: 'resource', resource: { uri: 'test://any', mimeType: 'text/plain', text: 'Embedded resource content for testing.' } }),
      userSays(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: { messages: [userSays(image), userSays(text('What does this image show?'))] },
  test_input_required_result_prompt: needs('elicitation.form'),
  travel: {
    given: ['country=Italy', 'city=Rome'],
    description: 'A journey to Rome, Italy',
    messages: travelFrom('Rome, Italy').map((said, i) => ({ role: roles[i], content: text(said) })),
  },
};

// Each tool: the arguments that it is called with, and what it answers with them.
const tools = {
  test_simple_text: says('This is a simple text response for testing.'),
  test_image_content: answers(image),
  test_audio_content: answers(audio),
  test_embedded_resource: answers(embeddedText),
  test_multiple_content_types:
    answers(text('One block of each kind follows.'), image, audio, linkToPicture, embeddedText, embeddedPicture),
  annotatedContent: {
    _meta: shows('a result'),
    ...answers(
      text('This is for you. It has the highest priority, and was last changed on the day of a protocol version.', {
        annotations: { audience: ['user'], priority: 1, lastModified: '2025-11-25T12:00:00Z' },
        _meta: shows('a block'),
      }),
      text('This is for the model; a client need not show it.', { annotations: { audience: ['assistant'], priority: 0.5 } }),
      { ...image, annotations: { audience: ['user', 'assistant'], priority: 0 } },
    ),
  },
  test_error_handling: { ...says('This tool intentionally returns an error for testing'), isError: true },
  test_reconnection: says('Nothing was interrupted.'),
  weather: takes({ city: 'Rome', days: 1 }, { ...says(JSON.stringify(weather)), structuredContent: weather }),
  json_schema_2020_12_tool:
    takes({ contactMethod: 'phone', phone: '1' }, says('Arguments: {"contactMethod":"phone","phone":"1"}')),
  test_x_mcp_header: takes({ region: 'Europe' }, says('Arguments: {"region":"Europe"}')),
  test_tool_with_progress: says('Progress was reported three times.'),
  longRunning: takes({ seconds: 0.02, steps: 2 }, says('Done after 20ms; steps: 2')),
  answerLater: takes({ seconds: 0.02 }, says('This answer came 20ms after its handler.')),
  test_tool_with_logging: says('Three messages were logged.'),
  test_logging_tool: says('A message was logged at each of the eight levels; none of them is meant seriously.'),
  test_sampling: takes({ prompt: 'Hi' }, needs('sampling')),
  test_missing_capability: needs('sampling'),
  test_elicitation: takes({ message: 'Hi' }, needs('elicitation.form')),
  test_streaming_elicitation: needs('elicitation.form'),
  visitPage: takes({ url: 'https://example.com/' }, needs('elicitation.url')),
  fillInForm: needs('elicitation.form'),
  test_elicitation_sep1034_defaults: needs('elicitation.form'),
  test_elicitation_sep1330_enums: needs('elicitation.form'),
  test_input_required_result_elicitation: needs('elicitation.form'),
  test_input_required_result_sampling: needs('sampling'),
  test_input_required_result_list_roots: says('Roots of your client: 0'),
  test_input_required_result_request_state: needs('elicitation.form'),
  test_input_required_result_tampered_state: needs('elicitation.form'),
  test_input_required_result_multiple_inputs: needs('elicitation.form', 'sampling'),
  test_input_required_result_multi_round: needs('elicitation.form'),
  test_input_required_result_capabilities: says('Your client was asked, and answered: roots'),
  test_trigger_tool_change: says('The tool addedTool is there.'),
  test_trigger_prompt_change: says('The prompt addedPrompt is there.'),
  toggleResource: says('The resource test://added-resource and the template test://added/{name} are there.'),
  'about_tsar-mcp': matches(/^Name: MCPServer_everything$/m, /^Prompts: 6 /m, /^Resources: 5 /m, /^Templates: 2 /m),
  readTrace: takes({ nLines: 5, tail: true }, matches(/./)),
  listPrompts: matches(...Object.keys(prompts).map(name => new RegExp(`"name":"${name}"`))),
  getPrompt: takes({ name: 'travel', arguments: { country: 'Italy' } },
    answers(...travelFrom('Italy').map((said, i) => text(`${roles[i]}: ${said}`)))),
};

const reads = (uri, mimeType, content) => ({ uri, mimeType, ...content });
const readsJSON = (uri, value) => [reads(uri, 'application/json', { text: JSON.stringify(value) })];
// What each resource has in it.
const resources = {
  'test://static-text': [reads('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' })],
  'test://static-binary': [reads('test://static-binary', 'image/png', { blob: picture })],
  'test://embedded-resource': [reads('test://embedded-resource', 'text/plain', { text: 'This is an embedded resource content.' })],
  'test://example-resource': [
    reads('test://example-resource', 'text/plain', { text: 'This is the content of the example resource.', _meta: shows('a content') }),
    reads('test://example-resource#picture', 'image/png', { blob: picture }),
  ],
  'test://watched-resource': readsJSON('test://watched-resource', { changes: 0, isWatched: false }),
};
// One URI of each template.
const templates = {
  'test://template/{id}/data':
    readsJSON('test://template/a%20b/data', { id: 'a b', templateTest: true, data: 'Data for ID: a b' }),
  'test://weather/{country}/{city}': readsJSON('test://weather/Italy/Rome', weather.today),
};

for (const [build, era] of [['clamped', 'legacy'], ['unclamped', 'modern']]) {
  const run = (method, ...args) => inspect('--protocol-era', era, ...target(build, server), '--method', method, ...args);
  describe(`Inspector, era ${era}, everything of the ${build} build`, { timeout: 120_000, concurrency: availableParallelism() }, () => {
    toolTests(run, era);
    promptTests(run, era);
    resourceTests(run);
  });
}

// The result must be the expected one; those of 2026-07-28 have more around it.
function assertResult(result, expected) {
  const { 'io.modelcontextprotocol/serverInfo': from, ...meta } = result._meta ?? {};
  const { ttlMs, cacheScope, _meta, ...bare } = result;
  assert.deepEqual(Object.keys(meta).length > 0 ? { ...bare, _meta: meta } : bare, expected);
}

// What the client has not declared: before 2026-07-28 a tool's result says so,
// since then an error.
function assertMissing({ status, result, error }, capabilities, era, legacyStatus) {
  if (era === 'modern') {
    assert.equal(status, failed);
    const names = new Set(capabilities.map(name => name.split('.')[0]));
    assert.equal(error.message, `Missing Required Client Capability [${[...names].join(', ')}]`);
    return;
  }
  assert.equal(status, legacyStatus);
  const said = result ? result.content[0].text : error.message;
  assert.ok(capabilities.some(name => said.includes(`the client does not support ${name}`)), said);
}

function toolTests(run, era) {
  test('lists all tools and finds no portability problem in them', async () => {
    const { status, result } = await run('tools/list', '--strict');
    assert.equal(status, 0);
    assert.deepEqual(result.tools.map(tool => tool.name).sort(), Object.keys(tools).sort());
  });

  for (const [name, { given, patterns, [missing]: capabilities, ...expected }] of Object.entries(tools)) {
    test(`calls ${name}`, async () => {
      const ran = await run('tools/call', '--tool-name', name, ...(given ? ['--tool-args-json', given] : []));
      if (capabilities) return assertMissing(ran, capabilities, era, toolFailed);
      assert.equal(ran.status, expected.isError ? toolFailed : 0, ran.error?.message);
      if (!patterns) return assertResult(ran.result, expected);
      for (const pattern of patterns) assert.match(ran.result.content[0].text, pattern);
    });
  }
}

function promptTests(run, era) {
  test('lists all prompts', async () => {
    const { status, result } = await run('prompts/list');
    assert.equal(status, 0);
    assert.deepEqual(result.prompts.map(prompt => prompt.name), Object.keys(prompts));
  });

  for (const [name, { given, [missing]: capabilities, ...expected }] of Object.entries(prompts)) {
    test(`gets ${name}`, async () => {
      const ran = await run('prompts/get', '--prompt-name', name, ...(given ? ['--prompt-args', ...given] : []));
      if (capabilities) return assertMissing(ran, capabilities, era, failed);
      assert.equal(ran.status, 0, ran.error?.message);
      assertResult(ran.result, expected);
    });
  }

  test('is told which argument of a prompt is missing', async () => {
    const { status, error } = await run('prompts/get', '--prompt-name', 'travel');
    assert.deepEqual({ status, message: error.message }, { status: failed, message: 'Invalid Params [Missing parameter: country]' });
  });
}

function resourceTests(run) {
  test('lists all resources', async () => {
    const { status, result } = await run('resources/list');
    assert.equal(status, 0);
    assert.deepEqual(result.resources.map(resource => resource.uri), Object.keys(resources));
  });

  test('lists all templates', async () => {
    const { status, result } = await run('resources/templates/list');
    assert.equal(status, 0);
    assert.deepEqual(result.resourceTemplates.map(template => template.uriTemplate), Object.keys(templates));
  });

  for (const expected of [...Object.values(resources), ...Object.values(templates)]) {
    test(`reads ${expected[0].uri}`, async () => {
      const { status, result, error } = await run('resources/read', '--uri', expected[0].uri);
      assert.equal(status, 0, error?.message);
      assertResult(result, { contents: expected });
    });
  }

  test('is told that a resource is not there', async () => {
    const { status, error } = await run('resources/read', '--uri', 'test://nothing');
    assert.deepEqual({ status, message: error.message }, { status: failed, message: 'Resource Not Found' });
  });
}
