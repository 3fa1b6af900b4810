// The official JSON schema of each protocol revision.
//
// No package publishes the schemas as files. The conformance suite carries them
// inside its bundled program, as one object literal per revision and one literal
// that maps revisions to them. The program can't be imported (it runs at once),
// so it is parsed and only those literals are evaluated.
//
// The bundle starts at 2025-03-26; the revision before it is derived here. Where a
// bundled copy is not quite what was published, it is corrected here;
// test/schemas.test.mjs proves that the outcome is the published schema.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';

/** The revisions that have a schema here, oldest first. */
export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** Returns a map from revision to its official schema. */
export function officialSchemas() {
  const bundle = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
  const bundled = schemasIn(readFileSync(bundle, 'utf8'));
  const schemas = new Map();
  schemas.set('2024-11-05', before20250326(bundled['2025-03-26']));
  for (const revision of revisions.slice(1)) {
    schemas.set(revision, withFractions(bundled[revision]));
  }
  schemas.set('2026-07-28', withFinalNames(schemas.get('2026-07-28')));
  return schemas;
}

function schemasIn(source) {
  const program = parse(source, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  const literals = new Map();
  for (const declaration of program.body.filter(node => node.type === 'VariableDeclaration')) {
    for (const { id, init } of declaration.declarations) {
      if (init) literals.set(id.name, init);
    }
  }
  const literalKeys = revisions.slice(1, -1); // that of the newest revision is a constant
  const isIndex = node => node.type === 'ObjectExpression'
    && literalKeys.every(revision => node.properties.some(property => property.key?.value === revision));
  const index = [...literals.values()].find(isIndex);
  if (!index) throw new Error('the conformance bundle maps no revisions to schemas');
  return evaluate(index, literals);
}

function evaluate(node, literals) {
  switch (node.type) {
    case 'Literal':
      return node.value;
    case 'TemplateLiteral':
      return node.quasis.map(quasi => quasi.value.cooked).join('');
    case 'UnaryExpression': // minified: !0 is true, -32042 is a negated literal
      return node.operator === '!' ? !evaluate(node.argument, literals) : -evaluate(node.argument, literals);
    case 'ArrayExpression':
      return node.elements.map(element => evaluate(element, literals));
    case 'ObjectExpression':
      return Object.fromEntries(node.properties.map(({ key, computed, value }) => [
        key.type === 'Identifier' && !computed ? key.name : evaluate(key, literals),
        evaluate(value, literals),
      ]));
    case 'Identifier':
      if (literals.has(node.name)) return evaluate(literals.get(node.name), literals);
  }
  throw new Error(`the conformance bundle's schemas are no plain literals: ${node.type} ${node.name ?? ''}`);
}

// What 2025-03-26 added, taken away again: audio, tool annotations, the
// completions capability, the message of a progress notification, batches.
function before20250326(schema) {
  const earlier = structuredClone(schema);
  const { definitions } = earlier;
  const added = ['AudioContent', 'ToolAnnotations', 'JSONRPCBatchRequest', 'JSONRPCBatchResponse'];
  for (const name of added) delete definitions[name];
  delete definitions.Tool.properties.annotations;
  delete definitions.ServerCapabilities.properties.completions;
  delete definitions.ProgressNotification.properties.params.properties.message;

  const wasKnown = alternative => alternative.type !== 'array' && alternative.$ref !== '#/definitions/AudioContent';
  const unions = [
    definitions.JSONRPCMessage,
    definitions.CallToolResult.properties.content.items,
    definitions.CreateMessageResult.properties.content,
    definitions.PromptMessage.properties.content,
    definitions.SamplingMessage.properties.content,
  ];
  for (const union of unions) union.anyOf = union.anyOf.filter(wasKnown);
  return earlier;
}

// The bundled copies of two revisions say integer where the published schemas
// say number: the bounds and the default of a number in an elicitation form.
function withFractions(schema) {
  const corrected = structuredClone(schema);
  const { NumberSchema } = corrected.$defs ?? corrected.definitions;
  for (const member of ['default', 'maximum', 'minimum']) {
    if (NumberSchema?.properties[member]) NumberSchema.properties[member].type = 'number';
  }
  return corrected;
}

// The bundled copy of 2026-07-28 is a little older than the revision: it has the
// metadata of a listen result under another name, and not yet the definition of
// the response that carries that result.
function withFinalNames(schema) {
  const final = structuredClone(schema);
  const { SubscriptionsListenResultMeta: metadata, ...$defs } = final.$defs;
  $defs.SubscriptionsListenResultMetaObject = metadata;
  $defs.SubscriptionsListenResult.properties._meta.$ref = '#/$defs/SubscriptionsListenResultMetaObject';
  $defs.SubscriptionsListenResultResponse = structuredClone($defs.DiscoverResultResponse);
  $defs.SubscriptionsListenResultResponse.properties.result.$ref = '#/$defs/SubscriptionsListenResult';
  return { ...final, $defs };
}
