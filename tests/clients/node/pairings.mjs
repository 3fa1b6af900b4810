// The official TypeScript clients of 2025-11-25 and later with MCPServer_everything,
// under one face, so that one test serves them all.

import * as dual from './dual.mjs';
import * as legacy from './connect.mjs';
import { server } from './everything.mjs';

const newestLegacy = '2025-11-25';
const modern = '2026-07-28';
const sdk = await legacy.loadSDK(newestLegacy);

/**
 * Each client with each build that it agrees with on another revision or in another
 * way: {name, isModern, open}. open(t, options) starts the server and connects to it.
 * The options are args of the server, and the client's capabilities, answers (by the
 * method that the server asks by), on (by the method that it tells by) and more of
 * its own options. It gives what the client's own connect gives, and call(tool,
 * arguments, options), which calls a tool, and page(method, cursor), which gets one
 * page of a list. The server and the client end with test t.
 */
export const pairings = [
  legacyPairing('clamped'),
  dualPairing('clamped', 'auto'),
  legacyPairing('unclamped'),
  dualPairing('unclamped', 'legacy'),
  dualPairing('unclamped', 'modern'),
];

function dualPairing(build, mode) {
  return {
    name: `client of both eras, mode ${mode}, ${build} build`,
    isModern: dual.agreed(build, mode) === modern,
    async open(t, options) {
      const session = await dual.connect(t, build, mode, server, options);
      const { client } = session;
      return {
        ...session,
        call: (name, args, options) => client.callTool({ name, arguments: args }, options),
        page: (method, cursor) => client.request({ method, params: { cursor } }),
      };
    },
  };
}

function legacyPairing(build) {
  return {
    name: `legacy client, ${build} build`,
    isModern: false,
    async open(t, { answers = {}, on = {}, ...options } = {}) {
      const prepare = client => {
        for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(schemaOf(method), answer);
        for (const [method, handle] of Object.entries(on)) client.setNotificationHandler(schemaOf(method), handle);
      };
      const session = await legacy.connect(t, sdk, build, server, { ...options, prepare });
      const { client } = session;
      return {
        ...session,
        call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
        page: (method, cursor) => client.request({ method, params: { cursor } }, pages[method]),
      };
    },
  };
}

const pages = {
  'tools/list': sdk.types.ListToolsResultSchema,
  'prompts/list': sdk.types.ListPromptsResultSchema,
  'resources/list': sdk.types.ListResourcesResultSchema,
  'resources/templates/list': sdk.types.ListResourceTemplatesResultSchema,
};

function schemaOf(method) {
  return Object.values(sdk.types).find(schema => schema?.shape?.method?.value === method);
}
