// The official TypeScript clients, in front of each server and in front of the
// gateway.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectDual, connectLegacy } from '../clients/node/foreign.mjs';
import { by, calls, entries, forGateway, root, served, servers } from './fleet.mjs';

const modernServer = name => name.endsWith('-2026');

/** Each way to talk to a gateway, and how the gateway's servers are talked to directly. */
const ways = [
  { name: 'legacy client, clamped gateway', gateway: 'clamped gateway', connect: connectLegacy },
  { name: 'client of both eras, clamped gateway', gateway: 'clamped gateway', connect: connectDual },
  { name: 'legacy client, unclamped gateway', gateway: 'unclamped gateway', connect: connectLegacy },
  { name: 'client of both eras, unclamped gateway', gateway: 'unclamped gateway', connect: connectDual, isModern: true },
];

for (const { name, gateway, connect, isModern } of ways) {
  describe(name, { timeout: 240_000 }, async () => {
    test('gets from every server what the server gives directly', async t => {
      const through = await connect(t, entries[gateway], root);
      const listed = by('name', await through.tools());
      for (const server of servers) {
        // The gateway speaks with each server in the newest way that this knows.
        const direct = await (modernServer(server) ? connectDual : connect)(t, entries[server], root);
        for (const tool of await direct.tools()) {
          if (tool.execution?.taskSupport === 'required') continue;
          assert.deepEqual(listed[`${server}.${tool.name}`], served(server, tool));
        }
        for (const { method, params } of calls.filter(call => call.server === server)) {
          const [got, wanted] = [await through.ask(method, forGateway(server, params)), await direct.ask(method, params)];
          const what = `${server}: ${method} ${JSON.stringify(params)}`;
          assert.deepEqual(neutral(got, server, isModern), neutral(wanted, server, isModern), what);
        }
        await direct.close();
      }
    });
  });
}

/** An outcome without what belongs to an era, where the client's is not the server's, and to whom the client talks. */
function neutral(outcome, server, isModern = false) {
  if (!outcome.result) return outcome;
  const { resultType, ttlMs, cacheScope, _meta, ...result } = outcome.result;
  const { 'io.modelcontextprotocol/serverInfo': _, ...meta } = _meta ?? {};
  const caching = isModern === modernServer(server) ? { ttlMs, cacheScope } : {};
  // Which URI a server's resource has is another test's business.
  const text = JSON.stringify({ ...result, ...caching, meta }).replaceAll(`"${server}+`, '"');
  return { result: JSON.parse(text), asked: outcome.asked };
}
