// The validator itself: what it must accept and what it must reject of a server
// that serves 2026-07-28, alone and beside the legacy revisions.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRecording } from '../recording.mjs';
import { answers, asks, begin, cancels, client, fails, says, server } from './recordings.mjs';

const about = name => `io.modelcontextprotocol/${name}`;
const meta = (more = {}) => ({ [about('protocolVersion')]: '2026-07-28', [about('clientCapabilities')]: {}, ...more });
const asksModern = (id, method, params = {}, more = {}) => asks(id, method, { ...params, _meta: meta(more) });
const from = { _meta: { [about('serverInfo')]: { name: 's', version: '1' } } };
const complete = { resultType: 'complete', ...from };
const cached = { ...complete, ttlMs: 0, cacheScope: 'private' };

// A request and its result, in the modern era.
const exchange = (method, result, id = 1) => [asksModern(id, method), answers(id, result)];
const discovered = more =>
  exchange('server/discover', { ...cached, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...more }, 0);
const listed = tool => exchange('tools/list', { ...cached, tools: [{ name: 't', inputSchema: { type: 'object' }, ...tool }] });
const called = more => exchange('tools/call', { ...complete, content: [text], ...more });
const inputRequired = (method, more) => exchange(method, { resultType: 'input_required', ...from, ...more });
const refused = (code, data, method = 'tools/call') => [asksModern(1, method), fails(1, code, data)];

const text = { type: 'text', text: 'x' };
const message = { role: 'user', content: text };
const sampling = { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 10 } };
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: { age: { type: 'number' } } } } };
const url = { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'https://example.com/' } };
const roots = { method: 'roots/list' };

// A subscription, and what comes for it.
const uri = 'reminder:///1';
const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
const listens = (id, notifications = filter) => asksModern(id, 'subscriptions/listen', { notifications });
const streams = (id, method, params = {}) => says(method, { ...params, _meta: { [about('subscriptionId')]: id } });
const acknowledges = (id, notifications = filter) => streams(id, 'notifications/subscriptions/acknowledged', { notifications });
const updates = (id, updated = uri) => streams(id, 'notifications/resources/updated', { uri: updated });
const changes = (id, what = 'tools') => streams(id, `notifications/${what}/list_changed`);
const ends = (id, subscription = id) =>
  answers(id, { ...complete, _meta: { ...from._meta, [about('subscriptionId')]: subscription } });
const opened = [listens('L'), acknowledges('L')];

const logs = level => says('notifications/message', { level, data: 1 });
const progresses = progressToken => says('notifications/progress', { progressToken, progress: 1 });
const asksForLog = asksModern(1, 'tools/call', {}, { [about('logLevel')]: 'warning' });
const asksForProgress = asksModern(1, 'tools/call', {}, { progressToken: 'p' });
const done = answers(1, { ...complete, content: [] });
const question = (method = 'sampling/createMessage', params = sampling.params) =>
  server({ jsonrpc: '2.0', id: 'q1', method, params });

// [what, recording after discovery]
const accepted = [
  ['a tool', listed({ title: 'T', outputSchema: { type: 'array' } })],
  ['content', called({ isError: false, structuredContent: [1] })],
  ['metadata of the server', called({ _meta: { ...from._meta, 'com.example/a': { b: 1 } } })],
  ['tool metadata', listed({ _meta: { a: 1 } })],
  ['a public list', exchange('prompts/list', { ...cached, prompts: [], ttlMs: 300000, cacheScope: 'public' })],
  ['resources', exchange('resources/read', { ...cached, contents: [{ uri, text: 'x' }] })],
  ['a completion', exchange('completion/complete', { ...complete, completion: { values: [] } })],
  ["a method of the server's own", exchange('zoo/feed', { ...complete, fed: true })],
  ['a question with state', inputRequired('tools/call', { inputRequests: { a: sampling, b: form, c: url, d: roots }, requestState: 's' })],
  ['a question of a prompt', inputRequired('prompts/get', { inputRequests: { a: roots } })],
  ['a question of a resource', inputRequired('resources/read', { inputRequests: { a: roots } })],
  ['a state alone', inputRequired('tools/call', { requestState: 's' })],
  ['an unsupported version', [asks(1, 'tools/list', { _meta: meta({ [about('protocolVersion')]: '1999-01-01' }) }),
    fails(1, -32022, { supported: ['2026-07-28'], requested: '1999-01-01' })]],
  ['a missing capability', refused(-32021, { requiredCapabilities: { sampling: {} } })],
  ['any other error', refused(-32602, { uri })],
  ['a subscription', [...opened, updates('L'), changes('L'), ends('L')]],
  ['a subscription that grants less', [listens('L'), acknowledges('L', { toolsListChanged: true }), changes('L')]],
  ['many subscriptions', [listens(7, { toolsListChanged: true }), ...opened, acknowledges(7, { toolsListChanged: true }), changes(7), updates('L')]],
  ['what was under way to a cancelled subscription', [...opened, cancels('L'), updates('L')]],
  ['a log message that was asked for', [asksForLog, logs('error'), done]],
  ['progress that was asked for', [asksForProgress, progresses('p'), done]],
  ['a legacy revision by request', [asks(1, 'tools/call', { _meta: meta({ [about('protocolVersion')]: '2025-06-18' }) }), answers(1, { content: [] })]],
  ['a legacy request', [asks(1, 'ping'), answers(1, {})]],
  ['eras that take turns', [...begin('2025-03-26'), ...called(), asks(2, 'ping'), answers(2, {}), ...called()]],
  ['eras under way together', [...begin('2025-06-18'), asks(1, 'tools/list'), asksModern(2, 'tools/list'),
    answers(2, { ...cached, tools: [] }), answers(1, { tools: [] })]],
  ['a legacy question', [...begin('2025-11-25'), asks(1, 'tools/call'), asksModern(2, 'tools/call'), question()]],
  ['a legacy question outside any call', [...begin('2025-11-25'), ...opened, question()]],
  ['legacy notifications beside a subscription', [...opened, ...begin('2025-11-25'),
    says('notifications/resources/updated', { uri: 'a:b' }), logs('debug'), progresses(3)]],
];

// [what, recording after discovery, the violation]
const rejected = [
  ['a result without type', called({ resultType: undefined }), /required property 'resultType'/],
  ['a result of an unknown type', called({ resultType: 'partial' }), /its type is "partial"/],
  ['a result from nobody', called({ _meta: {} }), /which server it is from/],
  ['a server without version', called({ _meta: { [about('serverInfo')]: { name: 's' } } }), /required property 'version'/],
  ['an unknown member of the server', called({ _meta: { [about('serverInfo')]: { name: 's', version: '1', x: 1 } } }), /unknown member "x"/],
  ['an unknown member', called({ extra: 1 }), /unknown member "extra"/],
  ['an unknown member of a tool', listed({ execution: {} }), /unknown member "execution"/],
  ['an unknown capability', discovered({ capabilities: { tasks: {} } }), /unknown member "tasks"/],
  ['a discovery without versions', discovered({ supportedVersions: undefined }), /required property 'supportedVersions'/],
  ['a list without caching hints', exchange('tools/list', { ...complete, tools: [] }), /required property 'cacheScope'/],
  ['caching hints of a call', called({ ttlMs: 0, cacheScope: 'private' }), /unknown member "ttlMs"/],
  ['caching hints of a completion', exchange('completion/complete', { ...cached, completion: { values: [] } }), /unknown member "ttlMs"/],
  ['caching hints of a question', inputRequired('resources/read', { requestState: 's', ttlMs: 0, cacheScope: 'private' }), /unknown member "ttlMs"/],
  ['a negative time to live', exchange('tools/list', { ...cached, tools: [], ttlMs: -1 }), /ttlMs must be >= 0/],
  ['an unknown scope', exchange('tools/list', { ...cached, tools: [], cacheScope: 'shared' }), /cacheScope must be/],
  ['a question of a list', inputRequired('tools/list', { requestState: 's' }), /its type is "input_required"/],
  ['a question of a completion', inputRequired('completion/complete', { requestState: 's' }), /its type is "input_required"/],
  ['a question that asks nothing', inputRequired('tools/call', { inputRequests: {} }), /asks for nothing/],
  ['a question with content', inputRequired('tools/call', { requestState: 's', content: [] }), /unknown member "content"/],
  ['a question with an id', inputRequired('tools/call', { inputRequests: { a: { ...roots, id: 1 } } }), /unknown member "id"/],
  ['a question of an unknown method', inputRequired('tools/call', { inputRequests: { a: { method: 'ping' } } }), /unknown method "ping"/],
  ['a url question with an elicitation id', inputRequired('tools/call', { inputRequests: { a: { ...url, params: { ...url.params, elicitationId: 'e' } } } }), /unknown member "elicitationId"/],
  ['a state that is no string', inputRequired('tools/call', { requestState: {} }), /requestState must be string/],
  ['an answer to ping', exchange('ping', complete), /result for ping: this revision has none/],
  ['an answer to initialize', exchange('initialize', complete), /result for initialize: this revision has none/],
  ['an answer to resources/subscribe', exchange('resources/subscribe', complete), /this revision has none/],
  ['an unsupported version without data', refused(-32022), /required property 'data'/],
  ['a missing capability that is none', refused(-32021, { requiredCapabilities: { sleeping: {} } }), /unknown member "sleeping"/],
  ['an unknown member of an error', [asksModern(1, 'tools/call'),
    server({ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'no', more: 1, data: { supported: [], requested: 'x' } } })], /unknown member "more"/],
  ['the legacy error of a missing resource', refused(-32002, { uri }, 'resources/read'), /error -32002, which this revision has not/],
  ['the legacy error that asks for a url', refused(-32042, { elicitations: [] }), /error -32042, which this revision has not/],
  ['a modern error of a legacy request', [asks(1, 'tools/call'), fails(1, -32021, { requiredCapabilities: {} })], /error -32021, which this revision has not/],
  ['a legacy result of a modern request', exchange('tools/call', { content: [] }), /required property 'resultType'/],
  ['a modern result of a legacy request', [asks(1, 'tools/call'), answers(1, { ...complete, content: [] })], /unknown member "resultType"/],
  ['a modern result of a request that names a legacy revision',
    [asks(1, 'tools/call', { _meta: meta({ [about('protocolVersion')]: '2025-06-18' }) }), answers(1, { ...complete, content: [] })], /unknown member "resultType"/],
  ['discovery by a legacy answer', [asks(1, 'server/discover'), answers(1, { supportedVersions: [] })], /required property 'resultType'/],
  ['initialize with the modern revision', begin('2026-07-28'), /unknown revision "2026-07-28"/],
  ['a request of the server', [asksModern(1, 'tools/call'), question()], /server request sampling\/createMessage: this revision has none/],
  ['a request of the server to nobody', [question('ping', {})], /server request ping: this revision has none/],
  ['a request that follows from a modern one', [...begin('2025-11-25'), asksModern(1, 'tools/call'), question()], /this revision has none/],
  ['an update without acknowledgement', [listens('L'), updates('L')], /before the acknowledgement/],
  ['an end without acknowledgement', [listens('L'), ends('L')], /before the acknowledgement/],
  ['an acknowledgement of more', [listens('L'), acknowledges('L', { ...filter, promptsListChanged: true })], /promptsListChanged, which was not asked for/],
  ['an acknowledgement of another resource', [listens('L'), acknowledges('L', { resourceSubscriptions: ['a:b'] })], /resourceSubscriptions, which was not asked for/],
  ['a second acknowledgement', [...opened, acknowledges('L')], /a second acknowledgement/],
  ['an acknowledgement of nothing', [acknowledges('L')], /no open subscription/],
  ['an acknowledgement without subscription', [listens('L'), says('notifications/subscriptions/acknowledged', { notifications: {} })], /no open subscription/],
  ['a subscription id of another type', [listens('7'), acknowledges(7)], /for 7, which is no open subscription/],
  ['an update of another resource', [...opened, updates('L', 'a:b')], /resources\/updated, which this subscription has not/],
  ['a change of another list', [...opened, changes('L', 'prompts')], /which this subscription has not/],
  ['a log message on a subscription', [...opened, streams('L', 'notifications/message', { level: 'info', data: 1 })], /which this subscription has not/],
  ['an update after the end', [...opened, ends('L'), updates('L')], /no open subscription/],
  ['an end without subscription id', [...opened, answers('L', complete)], /required property 'io.modelcontextprotocol\/subscriptionId'/],
  ['the end of another subscription', [...opened, ends('L', 'M')], /the end of subscription "M" in the answer to "L"/],
  ['an update for a call', [asksModern(1, 'tools/call'), updates(1)], /no open subscription/],
  ['an update for nobody', [...opened, says('notifications/resources/updated', { uri })], /which no open request wants/],
  ['a log message nobody asked for', [asksModern(1, 'tools/call'), logs('error')], /which no open request wants/],
  ['a log message below the level', [asksForLog, logs('info')], /which no open request wants/],
  ['a log message after the answer', [asksForLog, done, logs('error')], /which no open request wants/],
  ['progress nobody asked for', [asksModern(1, 'tools/call'), progresses('p')], /which no open request wants/],
  ['progress after the answer', [asksForProgress, done, progresses('p')], /which no open request wants/],
  ['an unknown notification', [...opened, streams('L', 'notifications/elicitation/complete', {})], /this revision has none/],
  ['a batch', [client([{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta() } }]), server([])], /a batch/],
];

const check = entries => checkRecording([...discovered(), ...entries].join('\n')).map(found => found.violation);

describe('recordings of a server of both eras', () => {
  for (const [what, entries] of accepted) {
    test(`accepts ${what}`, () => assert.deepEqual(check(entries), []));
  }
  for (const [what, entries, violation] of rejected) {
    test(`rejects ${what}`, () => assert.match(check(entries).join('\n'), violation));
  }
});

test('a server that never answers as a modern one is held to the legacy revisions', () => {
  const recording = [...begin('2025-11-25'), ...exchange('tools/call', { content: [] }),
    asksModern(2, 'server/discover'), fails(2, -32601)];
  assert.deepEqual(checkRecording(recording.join('\n')), []);
});

test('one modern answer holds a server to the modern revision from its first line on', () => {
  const recording = [...exchange('tools/call', { content: [] }), ...called()];
  assert.deepEqual(checkRecording(recording.join('\n')).map(({ line }) => line), [2]);
});
