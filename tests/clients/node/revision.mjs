// One protocol revision as a judge of server messages: its official schema, with
// every object closed that the schema leaves open by saying nothing, so that a
// member which the revision doesn't know is a violation too.

import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// Members and definitions whose objects are open by the specification's own words:
// anybody's metadata, and JSON schemas with whatever keywords their dialect has.
const isOpen = name => ['_meta', 'inputSchema', 'outputSchema'].includes(name) || name.endsWith('MetaObject');

const inputRequired = 'InputRequiredResult';

/** Judges messages by one revision. What judges returns a list of violations, empty if there are none. */
export class Revision {
  #ajv;
  #definitions;
  #definitionsAt;
  #requests;
  #notifications;
  #results;
  #inputRequiring;
  #errors;

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
    this.#inputRequiring = this.#inputRequiringOf('ClientRequest');
    this.#errors = this.#errorsByCode();
  }

  /** Whether this revision knows JSON-RPC batches. */
  get hasBatches() {
    return 'JSONRPCBatchResponse' in this.#definitions;
  }

  /** Whether results of this revision say of which type they are. */
  get hasResultTypes() {
    return 'ResultType' in this.#definitions;
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
    if (!this.hasResultTypes) return this.#typed(this.#results, 'result for', method, result);
    if (result.resultType === 'input_required' && this.#inputRequiring.has(method)) return this.#question(method, result);
    const violations = this.#typed(this.#results, 'result for', method, result);
    if (result.resultType !== 'complete') violations.push(`result for ${method}: its type is ${JSON.stringify(result.resultType)}`);
    return violations;
  }

  /** Whether errors with that code are this revision's own, beyond those of JSON-RPC. */
  hasError(code) {
    return this.#errors.has(code);
  }

  /** Judges an error whose envelope is right. */
  error(message) {
    return this.#typed(this.#errors, 'error', message.error.code, message);
  }

  #question(method, result) {
    const violations = this.#check(inputRequired, result);
    const asks = Object.keys(result.inputRequests ?? {}).length > 0 || result.requestState !== undefined;
    if (!asks) violations.push('it asks for nothing and has no state');
    return violations.map(violation => `question of ${method}: ${violation}`);
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
    const { anyOf, oneOf } = this.#definitions[union] ?? { anyOf: [] }; // the newest has no ServerRequest
    return (anyOf ?? oneOf).map(({ $ref }) => nameIn($ref));
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

  #inputRequiringOf(union) {
    const requiring = new Set();
    for (const [method, name] of this.#methodsOf(union)) {
      const alternatives = this.#definitions[name.replace(/Request$/, 'ResultResponse')]?.properties.result.anyOf;
      if (alternatives?.some(({ $ref }) => nameIn($ref) === inputRequired)) requiring.add(method);
    }
    return requiring;
  }

  #errorsByCode() {
    const errors = new Map();
    for (const [name, { properties }] of Object.entries(this.#definitions)) {
      const code = properties?.error?.allOf?.at(-1).properties.code.const;
      if (code !== undefined) errors.set(code, name);
    }
    return errors;
  }
}

function closeDefinitions(definitions) {
  const closed = closeEach(definitions, definitions);
  // Where requests are embedded in results, their definitions are exact.
  if (!('InputRequest' in definitions)) {
    for (const definition of Object.values(closed).filter(({ properties }) => properties?.method?.const)) {
      admitEnvelope(definition);
    }
  }
  closed.EmptyResult = { ...closed.Result, additionalProperties: false };
  return closed;
}

function closeEach(schemas, definitions) {
  const closed = {};
  for (const [name, schema] of Object.entries(schemas)) {
    closed[name] = isOpen(name) ? schema : close(schema, definitions);
  }
  return closed;
}

function close(schema, definitions) {
  if (Array.isArray(schema)) return schema.map(member => close(member, definitions));
  if (schema === null || typeof schema !== 'object') return schema;
  const tag = schema.anyOf && ['type', 'method'].find(name => isTagged(name, schema.anyOf, definitions));
  if (tag) return byTag(tag, schema.anyOf);
  const { properties, allOf, ...rest } = schema;
  if (allOf) return { ...closeEach(rest, definitions), allOf: allOf.map(part => closeInside(part, definitions)) };
  const closed = closeEach(rest, definitions);
  if (properties === undefined) return closed;
  return { additionalProperties: false, ...closed, properties: closeEach(properties, definitions) };
}

// The parts of an allOf share one object; that part closes it which names a
// definition with all of its members.
function closeInside(part, definitions) {
  const { additionalProperties, ...open } = close(part, definitions);
  return open;
}

// A union whose alternatives differ in a member such as "type" is the same union,
// with errors from the right alternative alone, when it is told to look there.
function isTagged(tag, alternatives, definitions) {
  return alternatives.every(({ $ref }) => $ref && definitions[nameIn($ref)].properties?.[tag]?.const !== undefined);
}

function byTag(tag, alternatives) {
  return { type: 'object', required: [tag], discriminator: { propertyName: tag }, oneOf: alternatives };
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
      return `${where} is of the unknown ${params.tag} ${JSON.stringify(params.tagValue)}`;
    case 'const':
      return `${where} ${message} ${JSON.stringify(params.allowedValue)}`;
    case 'enum':
      return `${where} ${message} ${JSON.stringify(params.allowedValues)}`;
    default:
      return `${where} ${message}`;
  }
}
