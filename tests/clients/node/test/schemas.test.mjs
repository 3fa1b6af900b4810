// The schemas that are read and derived here are the published ones: each has the
// digest of schema/<revision>/schema.json of the specification's repository,
// leaving aside descriptions, order, and whether annotations stand inline.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { officialSchemas } from '../schemas.mjs';

const published = {
  '2024-11-05': 'e9a6557e0e0ab5eadb12f7a9f64289dda521943ed189188325ad29bcd84012ce',
  '2025-03-26': 'eb638d40310973ece6e70166564093fd1d3cb310cbbfcb72dfd77c11fdc9da5d',
  '2025-06-18': 'a233c44eaca5b931fd99366cb211c1c48352f79625edf813fec378f93641e6cc',
  '2025-11-25': '3ff58c064522e21538ae8ae5f6c062e18e6c6039e6313e17fdb95ff8691710ed',
  '2026-07-28': '26db2408f7b1ab5542a550cf316883c432b180429eefbe64188b10e10a26c134',
};

function digest(schema) {
  const definitions = schema.$defs ?? schema.definitions;
  return createHash('sha256').update(JSON.stringify(canonical(definitions, definitions))).digest('hex');
}

function canonical(value, definitions) {
  if (Array.isArray(value)) return value.map(member => canonical(member, definitions));
  if (value === null || typeof value !== 'object') return value;
  if (value.$ref?.endsWith('/Annotations')) return canonical(definitions.Annotations, definitions);
  const isNoise = (key, member) =>
    (key === 'description' && typeof member === 'string') || key === 'Annotated' || key === 'Annotations';
  return Object.keys(value).sort().filter(key => !isNoise(key, value[key]))
    .map(key => [key, canonical(value[key], definitions)]);
}

const schemas = officialSchemas();

test('every published revision has a schema', () => {
  assert.deepEqual([...schemas.keys()], Object.keys(published));
});

for (const [revision, schema] of schemas) {
  test(`the schema of ${revision} is the published one`, () => {
    assert.equal(digest(schema), published[revision]);
  });
}
