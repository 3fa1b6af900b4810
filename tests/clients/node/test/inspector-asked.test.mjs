// MCPServer_everything asks the user of an MCP Inspector that stays connected.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { server } from '../everything.mjs';
import { keepConnected } from '../inspectorConnection.mjs';

const said = result => result.content[0].text;

for (const [build, era] of [['clamped', 'legacy'], ['unclamped', 'modern']]) {
  describe(`Inspector that is asked, era ${era}, ${build} build`, { timeout: 120_000 }, () => {
    test('shows forms and pages, and passes the answers on', async t => {
      const run = await keepConnected(t, build, era, server);
      const ask = async (tool, ...args) => (await run('tools/call', tool, ...args)).elicitationPending;
      const answer = ({ elicitationId }, ...args) => run('elicitation/respond', elicitationId, ...args);

      const form = await ask('fillInForm');
      assert.deepEqual(form.requestedSchema.required, ['name', 'guests']);
      const filledIn = { name: 'Ada', guests: 3, birthday: '2000-02-29', days: ['Friday'] };
      const kept = said(await answer(form, JSON.stringify(filledIn))).replace('You answered: ', '');
      assert.deepEqual(JSON.parse(kept), { ...filledIn, newsletter: false, size: 'medium' });

      const page = await ask('visitPage', 'url:=https://example.com/a');
      assert.deepEqual([page.mode, page.url], ['url', 'https://example.com/a']);
      assert.equal(said(await answer(page, '--done')), 'You agreed to visit https://example.com/a.');

      assert.equal(said(await answer(await ask('fillInForm'), '--decline')), 'You did not fill in the form (decline).');

      const { elicitationPending: color } = await answer(await ask('test_input_required_result_multi_round'), 'name:=Ada');
      assert.equal(color.message, 'What is your favorite color, Ada?');
      assert.equal(said(await answer(color, 'color:=blue')), 'Ada likes blue.');
    });
  });
}
