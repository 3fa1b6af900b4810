// node validate.mjs <file-or-directory>…: checks recordings (*.jsonl) against the
// official schemas, names each violation with its file and line, and exits 1 if
// there are any, 2 if there is nothing to check.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkRecording } from './recording.mjs';

function recordingsIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true }).filter(name => name.endsWith('.jsonl'));
  return names.sort().map(name => join(path, name));
}

const files = process.argv.slice(2).flatMap(recordingsIn);
if (files.length === 0) {
  console.error('No recordings to check. Usage: node validate.mjs <file-or-directory>…');
  process.exit(2);
}
let violations = 0;
for (const file of files) {
  for (const { line, violation } of checkRecording(readFileSync(file, 'utf8'))) {
    console.log(`${file}:${line}: ${violation}`);
    violations++;
  }
}
console.log(`${files.length} recordings checked, ${violations} violations.`);
process.exitCode = violations > 0 ? 1 : 0;
