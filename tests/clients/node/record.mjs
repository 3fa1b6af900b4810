// node record.mjs <recording.jsonl> <command> [argument…]: runs a server, passes
// every byte through unchanged both ways, and records each whole line.

import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

const [file, command, ...args] = process.argv.slice(2);
const recording = openSync(file, 'w');
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

// The listener is added before the pipe, so a line is in the recording before its
// reader can have answered it.
function pass(from, source, sink) {
  const decoder = new StringDecoder('utf8');
  let line = '';
  source.on('data', chunk => {
    const [end, ...following] = decoder.write(chunk).split('\n');
    line += end;
    for (const next of following) {
      record(from, line);
      line = next;
    }
  });
  source.on('end', () => line !== '' && record(from, line));
  source.pipe(sink);
  sink.on('error', () => source.resume()); // the reader is gone: record to the end
}

function record(from, line) {
  writeSync(recording, JSON.stringify({ from, line }) + '\n');
}

pass('client', process.stdin, server.stdin);
pass('server', server.stdout, process.stdout);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('error', error => {
  console.error(`${command}: ${error.message}`);
  process.exit(127);
});
server.on('close', (code, signal) => {
  process.stdin.destroy();
  process.exitCode = code ?? 1;
  if (signal) console.error(`${command} was ended by ${signal}`);
});
