// What MCPServer_everything asks the official TypeScript clients for: their model,
// their user and their roots, by requests or, since 2026-07-28, by its answers.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pairings } from '../pairings.mjs';

const failureGuard = { timeout: 60_000 };
const invalidParams = -32602;
const missingCapability = -32021;

const said = result => result.content[0].text;
const modelSays = text => ({ model: 'test-model', role: 'assistant', content: { type: 'text', text } });
const sampling = answer => ({ capabilities: { sampling: {} }, answers: { 'sampling/createMessage': ({ params }) => answer(params) } });
const form = (answer, elicitation = { form: {} }) =>
  ({ capabilities: { elicitation }, answers: { 'elicitation/create': ({ params }) => answer(params) } });
const roots = {
  capabilities: { roots: {} },
  answers: { 'roots/list': () => ({ roots: [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b%20c' }] }) },
};
const accepts = content => ({ action: 'accept', content });
const all = (...parts) => ({
  capabilities: Object.assign({}, ...parts.map(part => part.capabilities)),
  answers: Object.assign({}, ...parts.map(part => part.answers)),
});

for (const { name, isModern, open } of pairings) {
  describe(`everything asks: ${name}`, failureGuard, () => {
    describe('the model', () => samplingTests(open));
    describe('the user', () => formTests(open));
    describe('the user to visit a page', () => urlTests(open, isModern));
    describe('the client', () => clientTests(open, isModern));
    describe('in rounds', () => roundTests(open, isModern));
    if (isModern) describe('by its answers', () => stateTests(open));
  });
}

function samplingTests(open) {
  test('passes the prompt on, and its answer back', async t => {
    const questions = [];
    const { call } = await open(t, sampling(params => {
      questions.push(params);
      return modelSays('Four.');
    }));
    assert.equal(said(await call('test_sampling', { prompt: 'Two and two?' })), 'LLM response: Four.');
    assert.deepEqual(questions.map(({ messages, maxTokens }) => ({ messages, maxTokens })),
      [{ messages: [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }], maxTokens: 100 }]);
  });

  test('keeps apart what is asked at the same time', async t => {
    const { call } = await open(t, sampling(({ messages }) => modelSays(messages[0].content.text.toUpperCase())));
    const words = ['one', 'two', 'three', 'four', 'five'];
    const results = await Promise.all(words.map(prompt => call('test_sampling', { prompt })));
    assert.deepEqual(results.map(said), words.map(word => `LLM response: ${word.toUpperCase()}`));
  });
}

function formTests(open) {
  const defaults = { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true };

  for (const [who, elicitation] of [['server', { form: {} }], ['client', { form: { applyDefaults: true } }]]) {
    test(`gets defaults that the ${who} applies`, async t => {
      const { call } = await open(t, form(() => accepts({ age: 31, verified: false }), elicitation));
      const answered = said(await call('test_elicitation_sep1034_defaults'));
      assert.deepEqual(JSON.parse(answered.replace('You answered: ', '')), { ...defaults, age: 31, verified: false });
    });
  }

  const choices = { untitledSingle: 'option2', titledSingle: 'value3', legacyEnum: 'opt1', untitledMulti: ['option1', 'option3'], titledMulti: [] };
  const filledIn = {
    name: 'Zoë', email: 'zoe@example.com', website: 'https://example.com/zoe', birthday: '2000-02-29',
    appointment: '2026-12-01T10:30:00+01:00', guests: 10, budget: 0.5, newsletter: true, size: 'large', color: '#00ff00', days: ['Friday', 'Sunday'],
  };
  for (const [tool, content] of [['test_elicitation_sep1330_enums', choices], ['fillInForm', filledIn]]) {
    test(`gets every kind of field of ${tool}`, async t => {
      let shown;
      const { call } = await open(t, form(({ requestedSchema }) => {
        shown = requestedSchema;
        return accepts(content);
      }));
      assert.deepEqual(JSON.parse(said(await call(tool)).replace('You answered: ', '')), content);
      assert.deepEqual(Object.keys(shown.properties).sort(), Object.keys(content).sort());
    });
  }

  test('shows what restricts the fields', async t => {
    let shown;
    const { call } = await open(t, form(({ requestedSchema }) => {
      shown = requestedSchema;
      return { action: 'cancel' };
    }));
    await call('fillInForm');
    const { name, email, website, birthday, appointment, guests, size, color, days } = shown.properties;
    assert.deepEqual([name.minLength, name.maxLength], [2, 40]);
    assert.deepEqual([email, website, birthday, appointment].map(({ format }) => format), ['email', 'uri', 'date', 'date-time']);
    assert.deepEqual([guests.type, guests.minimum, guests.maximum, guests.default], ['integer', 1, 10, 2]);
    assert.deepEqual(size.enum, ['small', 'medium', 'large']);
    assert.deepEqual(color.oneOf[0], { const: '#ff0000', title: 'Red' });
    assert.deepEqual([days.minItems, days.maxItems, days.items.enum.length], [1, 2, 3]);
    assert.deepEqual(shown.required, ['name', 'guests']);
  });

  for (const action of ['decline', 'cancel']) {
    test(`may ${action}`, async t => {
      const { call } = await open(t, form(() => ({ action })));
      const result = await call('fillInForm');
      assert.ok(!result.isError);
      assert.equal(said(result), `You did not fill in the form (${action}).`);
    });
  }

  test('is asked for what a prompt needs', async t => {
    const { client } = await open(t, form(() => accepts({ context: 'owls' })));
    const { messages } = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.equal(messages[0].content.text, 'Please tell me about this: owls');
  });
}

function urlTests(open, isModern) {
  const visit = action => {
    const visits = [];
    let tell;
    const isOver = new Promise(resolve => { tell = resolve; });
    return {
      ...form(params => {
        visits.push(params);
        return { action };
      }, { url: {} }),
      on: { 'notifications/elicitation/complete': ({ params }) => tell(params.elicitationId) },
      visits,
      isOver,
    };
  };

  test('learns that the visit is over', async t => {
    const { visits, isOver, ...options } = visit('accept');
    const { call, received } = await open(t, options);
    assert.equal(said(await call('visitPage', { url: 'https://example.com/a?b=c' })), 'You agreed to visit https://example.com/a?b=c.');
    assert.equal(visits.length, 1);
    assert.deepEqual([visits[0].mode, visits[0].url], ['url', 'https://example.com/a?b=c']);
    if (isModern) { // which has no such notice
      assert.ok(!received.some(message => message.method === 'notifications/elicitation/complete'));
      return;
    }
    assert.ok(visits[0].elicitationId);
    assert.equal(await isOver, visits[0].elicitationId);
  });

  test('may decline', async t => {
    const { visits, isOver, ...options } = visit('decline');
    const { call } = await open(t, options);
    assert.equal(said(await call('visitPage')), 'You did not want to visit https://example.com/ (decline).');
  });
}

function clientTests(open, isModern) {
  test('for its roots', async t => {
    const { call } = await open(t, roots);
    assert.equal(said(await call('test_input_required_result_list_roots')), 'Roots of your client: 2\nfile:///a A\nfile:///b%20c');
  });

  test('for no more than it can', async t => {
    const { call } = await open(t, all(roots, sampling(() => modelSays('Yes.'))));
    assert.equal(said(await call('test_input_required_result_capabilities')), 'Your client was asked, and answered: roots, sampling');
    const none = await open(t);
    assert.equal(said(await none.call('test_input_required_result_capabilities')), 'Your client cannot be asked anything.');
  });

  // [what is missing, the tool that needs it, what the client has, what it would need]
  const lacking = [
    ['a model', 'test_missing_capability', {}, { sampling: {} }],
    ['forms', 'fillInForm', form(() => accepts({}), { url: {} }), { elicitation: { form: {} } }],
    ['urls', 'visitPage', form(() => accepts({})), { elicitation: { url: {} } }],
  ];
  for (const [what, tool, options, requiredCapabilities] of lacking) {
    test(`says that it lacks ${what}`, async t => {
      const { call } = await open(t, options);
      if (isModern) {
        await assert.rejects(call(tool), { code: missingCapability, data: { requiredCapabilities } });
        return;
      }
      const result = await call(tool);
      assert.equal(result.isError, true);
      const [[capability, mode]] = Object.entries(requiredCapabilities);
      assert.match(said(result), new RegExp(`does not support ${[capability, ...Object.keys(mode)].join('\\.')}`));
    });
  }
}

function roundTests(open, isModern) {
  const named = form(({ requestedSchema: { properties } }) => accepts('name' in properties ? { name: 'Ada' } : { color: 'blue' }));

  test('one after the other', async t => {
    const { call, received } = await open(t, named);
    assert.equal(said(await call('test_input_required_result_multi_round')), 'Ada likes blue.');
    const rounds = received.filter(message => (isModern ? message.result?.resultType === 'input_required' : message.method === 'elicitation/create'));
    assert.equal(rounds.length, 2);
  });

  test('three things at once', async t => {
    const { call } = await open(t, all(named, roots, sampling(() => modelSays('Good day, Ada.'))));
    assert.match(said(await call('test_input_required_result_multiple_inputs')),
      /^Your name is Ada\. The model says: Good day, Ada\. Roots of your client: 2\n/);
  });

  test('with a state that comes back', async t => {
    const { call } = await open(t, form(() => accepts({ ok: true })));
    assert.equal(said(await call('test_input_required_result_request_state')), 'You answered {"ok":true}, and this state came back: state-ok');
  });
}

function stateTests(open) {
  const tool = 'test_input_required_result_tampered_state';
  const byHand = { ...form(() => accepts({ ok: true })), more: { inputRequired: { autoFulfill: false } } };
  const inputResponses = { confirm: accepts({ ok: true }) };

  async function ask(t) {
    const { client } = await open(t, byHand);
    const send = more => client.callTool({ name: tool, arguments: {}, ...more }, { allowInputRequired: true });
    const { resultType, inputRequests, requestState } = await send();
    assert.equal(resultType, 'input_required');
    assert.deepEqual(Object.keys(inputRequests), ['confirm']);
    return { send, client, requestState };
  }

  test('takes the state back as it was', async t => {
    const { send, requestState } = await ask(t);
    assert.equal(said(await send({ inputResponses, requestState })), 'You answered: {"ok":true}');
  });

  test('asks again for an answer that is missing', async t => {
    const { send, requestState } = await ask(t);
    const again = await send({ inputResponses: {}, requestState });
    assert.deepEqual(Object.keys(again.inputRequests), ['confirm']);
    assert.equal(said(await send({ inputResponses, requestState: again.requestState })), 'You answered: {"ok":true}');
  });

  test('refuses a state that was changed, or was given for something else', async t => {
    const { send, client, requestState } = await ask(t);
    const middle = Math.floor(requestState.length / 2);
    const changed = requestState.slice(0, middle) + (requestState[middle] === 'A' ? 'B' : 'A') + requestState.slice(middle + 1);
    for (const requestState of [changed, changed.slice(1), 'nonsense']) {
      await assert.rejects(send({ inputResponses, requestState }), { code: invalidParams });
    }
    const elsewhere = { name: 'test_input_required_result_request_state', arguments: {}, inputResponses, requestState };
    await assert.rejects(client.callTool(elsewhere, { allowInputRequired: true }), { code: invalidParams });
  });
}
