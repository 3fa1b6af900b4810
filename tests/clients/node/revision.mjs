// One protocol revision as a judge of server messages: its official schema, with
// every object closed that the schema leaves open by saying nothing, so that a
// member which the revision doesn't know is a violation too.

import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// Members whose objects are open by the specification's own words: anybody's
// metadata, and JSON schemas with whatever keywords their dialect has.
const openMembers = new Set(['_meta', 'inputSchema', 'outputSchema']);

/** Judges messages by one revision. What judges returns a list of violations, empty if there are none. */
export class Revision {
  #ajv;
  #definitions;
  #definitionsAt;
  #requests;
  #notifications;
  #results;

  constructor(schema) {
    const keyword = schema.$defs ? '$defs' : 'definitions';
    this.#definitions = closeDefinitions(schema[keyword]);
    this.#definitionsAt = `revision#/${keyword}/`;
    this.#ajv = new (keyword === '$defs' ? Ajv2020 : Ajv)({ strict: false, allErrors: true, discriminator: true });
    addFormats(this.#ajv);
    this.#ajv.addSchema({ ...schema, [keyword]: this.#definitions }, 'revision');
    this.#requests = this.#methodsOf('ServerRequest');
    this.#notifications = this.#methodsOf('ServerNotification');
    this.#results = this.#resultsOf('ClientRequest');
  }

  /** Whether this revision knows JSON-RPC batches. */
  get hasBatches() {
    return 'JSONRPCBatchResponse' in this.#definitions;
  }

  /** Judges a single message as JSON-RPC, whatever its method. */
  envelope(message) {
    if (message?.method !== undefined) {
      return this.#check(message.id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest', message);
    }
    const names = message?.error === undefined
      ? ['JSONRPCResultResponse', 'JSONRPCResponse'] : ['JSONRPCErrorResponse', 'JSONRPCError'];
    return this.#check(names.find(name => name in this.#definitions), message);
  }

  /** Judges a request of the server whose envelope is right. */
  request(message) {
    return this.#typed(this.#requests, 'server request', message.method, message);
  }

  /** Judges a notification of the server whose envelope is right. */
  notification(message) {
    return this.#typed(this.#notifications, 'server notification', message.method, message);
  }

  /** Reports whether the revision has methods that begin with family, such as "tools/". */
  knows(family) {
    return [...this.#results.keys()].some(method => method.startsWith(family));
  }

  /** Judges the result of a client's request for method. */
  result(method, result) {
    return this.#typed(this.#results, 'result for', method, result);
  }

  #typed(definitions, what, method, value) {
    const definition = definitions.get(method);
    if (!definition) return [`${what} ${method}: this revision has none`];
    return this.#check(definition, value).map(violation => `${what} ${method}: ${violation}`);
  }

  #check(definition, value) {
    const validate = this.#ajv.getSchema(this.#definitionsAt + definition);
    return validate(value) ? [] : [...new Set(validate.errors.map(describe))];
  }

  #alternatives(union) {
    return this.#definitions[union].anyOf.map(({ $ref }) => nameIn($ref));
  }

  #methodsOf(union) {
    return new Map(this.#alternatives(union).map(name => [this.#definitions[name].properties.method.const, name]));
  }

  // The schema doesn't say which result belongs to which request; their names do.
  #resultsOf(union) {
    const results = this.#methodsOf(union);
    for (const [method, name] of results) {
      const result = name.replace(/Request$/, 'Result');
      results.set(method, result in this.#definitions ? result : 'EmptyResult');
    }
    return results;
  }
}

function closeDefinitions(definitions) {
  const closed = closeEach(definitions, definitions);
  for (const definition of Object.values(closed).filter(({ properties }) => properties?.method?.const)) {
    admitEnvelope(definition);
  }
  closed.EmptyResult = { ...closed.Result, additionalProperties: false };
  return closed;
}

function closeEach(schemas, definitions) {
  const closed = {};
  for (const [name, schema] of Object.entries(schemas)) {
    closed[name] = openMembers.has(name) ? schema : close(schema, definitions);
  }
  return closed;
}

function close(schema, definitions) {
  if (Array.isArray(schema)) return schema.map(member => close(member, definitions));
  if (schema === null || typeof schema !== 'object') return schema;
  if (schema.anyOf && isTagged(schema.anyOf, definitions)) return byTag(schema.anyOf);
  const { properties, ...rest } = schema;
  const closed = closeEach(rest, definitions);
  if (properties === undefined) return closed;
  return { additionalProperties: false, ...closed, properties: closeEach(properties, definitions) };
}

// A union whose alternatives differ in their "type" is the same union, with
// errors from the right alternative alone, when it is told to look at "type".
function isTagged(alternatives, definitions) {
  return alternatives.every(({ $ref }) => $ref && definitions[nameIn($ref)].properties?.type?.const !== undefined);
}

function byTag(alternatives) {
  return { type: 'object', required: ['type'], discriminator: { propertyName: 'type' }, oneOf: alternatives };
}

function nameIn($ref) {
  return $ref.split('/').at(-1);
}

// A typed message is also a JSON-RPC message, and its params may carry _meta:
// revisions before 2025-11-25 say both elsewhere than in the message's definition.
function admitEnvelope({ properties }) {
  properties.jsonrpc ??= true;
  properties.id ??= true;
  if (properties.params?.properties) properties.params.properties._meta ??= { type: 'object' };
}

function describe({ instancePath, keyword, message, params }) {
  const where = instancePath || 'the top';
  switch (keyword) {
    case 'additionalProperties':
      return `${where} has the unknown member "${params.additionalProperty}"`;
    case 'discriminator':
      return `${where} is of the unknown type ${JSON.stringify(params.tagValue)}`;
    case 'const':
      return `${where} ${message} ${JSON.stringify(params.allowedValue)}`;
    case 'enum':
      return `${where} ${message} ${JSON.stringify(params.allowedValues)}`;
    default:
      return `${where} ${message}`;
  }
}
