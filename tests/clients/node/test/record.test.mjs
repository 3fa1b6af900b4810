// The recorder passes bytes through unchanged, records whole lines, and ends as
// the server ends; validate.mjs reports by exit status.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const failureGuard = { timeout: 60_000 };
const program = name => fileURLToPath(new URL(`../${name}`, import.meta.url));

function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-record-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function run(args, input = []) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const printed = child.stdout.toArray();
  const closed = once(child, 'close');
  for (const chunk of input) child.stdin.write(chunk);
  child.stdin.end();
  const [status] = await closed;
  return { status, printed: Buffer.concat(await printed).toString() };
}

const record = (file, script, input) => run([program('record.mjs'), file, process.execPath, '-e', script], input);

test('bytes pass unchanged and lines are recorded whole', failureGuard, async t => {
  const file = join(temporaryFolder(t), 'r.jsonl');
  const sent = Buffer.from('{"a":"é🦉"}\r\n\n{"b":1}');
  const bytewise = [...sent].map(byte => Buffer.of(byte));
  const { status, printed } = await record(file, 'process.stdin.pipe(process.stdout)', bytewise);
  assert.equal(status, 0);
  assert.equal(printed, sent.toString());
  const entries = readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);
  for (const from of ['client', 'server']) {
    assert.deepEqual(entries.filter(entry => entry.from === from).map(entry => entry.line), ['{"a":"é🦉"}\r', '', '{"b":1}']);
  }
});

test("the server's exit status is the recorder's", failureGuard, async t => {
  const file = join(temporaryFolder(t), 'r.jsonl');
  assert.equal((await record(file, 'process.exit(7)')).status, 7);
});

test('a signal goes to the server', failureGuard, async t => {
  const file = join(temporaryFolder(t), 'r.jsonl');
  const script = 'process.on("SIGTERM", () => process.exit(5)); setInterval(() => {}, 1e6); console.log("ready")';
  const child = spawn(process.execPath, [program('record.mjs'), file, process.execPath, '-e', script]);
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await closed, [5, null]);
});

test('validate.mjs names file, line and violation', failureGuard, async t => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'bad.jsonl');
  writeFileSync(file, JSON.stringify({ from: 'server', line: '{' }) + '\n');
  const { status, printed } = await run([program('validate.mjs'), folder]);
  assert.equal(status, 1);
  assert.ok(printed.includes(`${file}:1: not JSON`), printed);
});

test('validate.mjs accepts a good recording and refuses to check nothing', failureGuard, async t => {
  const folder = temporaryFolder(t);
  assert.equal((await run([program('validate.mjs'), folder])).status, 2);
  writeFileSync(join(folder, 'good.jsonl'), JSON.stringify({ from: 'client', line: 'anything' }) + '\n');
  assert.equal((await run([program('validate.mjs'), folder])).status, 0);
});
