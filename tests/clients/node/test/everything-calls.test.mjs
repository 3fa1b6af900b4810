// What a call of MCPServer_everything does while it lasts, as the official TypeScript
// clients see it: progress, log messages and cancellation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mailbox } from '../mailbox.mjs';
import { pairings } from '../pairings.mjs';

const failureGuard = { timeout: 60_000 };
const said = result => result.content[0].text;
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const logLevel = 'io.modelcontextprotocol/logLevel';

for (const { name, isModern, open } of pairings) {
  describe(`everything while a call lasts: ${name}`, failureGuard, () => {
    progressTests(open);
    loggingTests(open, isModern);
    cancellationTests(open);
  });
}

// A client that reads a report together with the answer may drop the report, so what
// came is looked at as well as what the client made of it.
function progressTests(open) {
  const reportsIn = received => received.filter(message => message.method === 'notifications/progress').map(({ params }) => params);
  const steps = total => Array.from({ length: total }, (_, i) => ({ progress: i + 1, total, message: `Step ${i + 1} of ${total} is done.` }));

  test('reports progress', async t => {
    const { call, received } = await open(t);
    const reported = [];
    const result = await call('longRunning', { seconds: 0.03, steps: 3 }, { onprogress: progress => reported.push(progress) });
    assert.equal(said(result), 'Done after 30ms; steps: 3');
    assert.deepEqual(reportsIn(received).map(({ progressToken, ...report }) => report), steps(3));
    assert.deepEqual(reported, steps(3).slice(0, reported.length));
  });

  test('reports the progress of each call to it', async t => {
    const { call, received } = await open(t);
    const totals = [1, 2, 3, 4];
    await Promise.all(totals.map(async total => {
      const reported = [];
      await call('longRunning', { seconds: 0.02, steps: total }, { onprogress: report => reported.push(report) });
      assert.deepEqual(reported, steps(total).slice(0, reported.length));
    }));
    const byToken = new Map();
    for (const { progressToken, ...report } of reportsIn(received)) {
      byToken.set(progressToken, [...byToken.get(progressToken) ?? [], report]);
    }
    assert.deepEqual([...byToken.values()].sort((a, b) => a.length - b.length), totals.map(steps));
  });

  test('reports none that is not asked for', async t => {
    const { call, received } = await open(t);
    await call('test_tool_with_progress');
    assert.ok(!received.some(message => message.method === 'notifications/progress'));
  });
}

function loggingTests(open, isModern) {
  // Asks for messages from a level on, as the era has it.
  async function log(client, level) {
    if (!isModern && level) await client.setLoggingLevel(level);
    await client.callTool({ name: 'test_logging_tool', ...(isModern && level && { _meta: { [logLevel]: level } }) });
  }
  const logged = received => received.filter(message => message.method === 'notifications/message').map(({ params }) => params);

  for (const least of ['debug', 'error', 'emergency']) {
    test(`logs from ${least} on`, async t => {
      const { client, received } = await open(t);
      await log(client, least);
      const messages = logged(received);
      assert.deepEqual(messages.map(({ level }) => level), levels.slice(levels.indexOf(least)));
      for (const { level, logger, data } of messages) {
        assert.equal(logger, 'everything');
        assert.equal(data.severity, levels.indexOf(level));
      }
    });
  }

  if (isModern) {
    test('logs nothing that is not asked for', async t => {
      const { client, received } = await open(t);
      await log(client, 'alert');
      await log(client);
      assert.equal(logged(received).length, 2);
    });
  }

  test('logs in the order of the call', async t => {
    const { deliver, next } = mailbox();
    const { client } = await open(t, { on: { 'notifications/message': ({ params }) => deliver(params.data) } });
    await client.callTool({ name: 'test_tool_with_logging', _meta: isModern ? { [logLevel]: 'info' } : undefined });
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) assert.equal(await next(), data);
  });
}

function cancellationTests(open) {
  test('ends a call that is cancelled', async t => {
    const { call, received } = await open(t, { args: ['--info'] });
    const cancel = new AbortController();
    const cancelled = call('longRunning', { seconds: 600, steps: 100 }, { signal: cancel.signal });
    const deferred = call('answerLater', { seconds: 600 }, { signal: cancel.signal });
    assert.equal(said(await call('test_simple_text')), 'This is a simple text response for testing.'); // they run by now, or soon
    cancel.abort('no longer needed');
    await assert.rejects(cancelled);
    await assert.rejects(deferred);
    while (!/longRunning ends after 0 of 100 steps/.test(said(await call('readTrace', { nLines: 50, tail: true }))));
    assert.ok(!received.some(({ result }) => result?.content && /^(Done|This answer)/.test(said(result))), 'a cancelled call was answered');
  });

  test('cancels a call between two reports of its progress', async t => {
    const { call } = await open(t);
    const cancel = new AbortController();
    let reports = 0;
    const onprogress = () => {
      reports++;
      cancel.abort('enough');
    };
    await assert.rejects(call('longRunning', { seconds: 1, steps: 100 }, { signal: cancel.signal, onprogress }));
    assert.equal(reports, 1);
    assert.equal(said(await call('answerLater', { seconds: 0 })), 'This answer came 0s after its handler.');
  });
}
