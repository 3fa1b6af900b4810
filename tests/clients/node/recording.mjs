// A recording is a conversation between one client and one server, a JSON object
// a line: {"from":"client"|"server","line":"<the raw line as sent>"}. Here every
// message of the server is checked against the revision that the two agreed on.

import { officialSchemas } from './schemas.mjs';
import { Revision } from './revision.mjs';

const judges = new Map();
for (const [name, schema] of officialSchemas()) judges.set(name, new Revision(schema));

/** Returns the violations in a recording's text, each {line, violation}; lines count from 1. */
export function checkRecording(text) {
  const conversation = new Conversation();
  const found = [];
  text.split('\n').forEach((entry, index) => {
    if (entry.trim() === '') return;
    for (const violation of conversation.take(entry)) found.push({ line: index + 1, violation });
  });
  return found;
}

class Conversation {
  // Until initialize is answered, servers talk as the newest legacy revision.
  #revision = '2025-11-25';
  // What the client asked and waits for: the request's id to the methods, oldest
  // first; more than one only where a client reuses an open id.
  #open = new Map();
  // What it has cancelled; an answer may have been under way.
  #cancelled = new Map();

  get #judge() {
    return judges.get(this.#revision);
  }

  /** Takes the next line of the recording and returns its violations. */
  take(entry) {
    const recorded = parse(entry);
    if (typeof recorded?.line !== 'string') return ['no recorded line'];
    switch (recorded.from) {
      case 'client':
        this.#fromClient(recorded.line);
        return [];
      case 'server':
        return this.#fromServer(recorded.line);
    }
    return [`recorded from ${JSON.stringify(recorded.from)}, which is neither client nor server`];
  }

  #fromClient(line) {
    for (const message of [parse(line)].flat()) {
      const asks = message?.method !== undefined || (message?.result === undefined && message?.error === undefined);
      if (message?.method === 'notifications/cancelled') this.#cancel(line);
      if (!asks || !['string', 'number'].includes(typeof message?.id)) continue;
      const key = rawID(line, 'id', message.id);
      this.#open.set(key, [...this.#open.get(key) ?? [], message.method]);
    }
  }

  #cancel(line) {
    const key = rawID(line, 'requestId', parse(line)?.params?.requestId);
    const method = this.#open.get(key)?.shift();
    if (method !== undefined) this.#cancelled.set(key, [method]);
  }

  /** The methods of the requests with that id that can be answered. */
  #awaited(key) {
    return this.#open.get(key)?.length ? this.#open.get(key) : this.#cancelled.get(key);
  }

  #fromServer(line) {
    const message = parse(line);
    if (message === undefined) return ['not JSON'];
    if (/[\r\n]/.test(line)) return ['a line break inside a message'];
    return Array.isArray(message) ? this.#batch(message) : this.#message(message, rawID(line, 'id', message?.id));
  }

  #batch(members) {
    if (!this.#judge.hasBatches) return [`a batch, which ${this.#revision} has not`];
    return members.length > 0 ? members.flatMap(member => this.#message(member)) : ['an empty batch'];
  }

  #message(message, key = JSON.stringify(message?.id)) {
    const violations = this.#judge.envelope(withReadableId(message));
    if (violations.length > 0) return violations;
    if (message.method !== undefined) {
      return message.id === undefined ? this.#judge.notification(message) : this.#judge.request(message);
    }
    return message.error === undefined ? this.#result(message, key) : this.#error(message, key);
  }

  #result({ result }, key) {
    const methods = this.#awaited(key);
    if (!methods?.length) return [`a result for ${key}, which is no open request`];
    const method = methods.shift();
    if (isOwn(method)) return [];
    if (method !== 'initialize') return this.#judge.result(method, result);
    const selected = result.protocolVersion;
    if (!judges.has(selected)) return [`initialize selects the unknown revision ${JSON.stringify(selected)}`];
    this.#revision = selected;
    return this.#judge.result(method, result);
  }

  // Of two open requests with one id it is the later that is refused.
  #error({ id }, key) {
    if (id === undefined) return [];
    const methods = this.#awaited(key);
    if (!methods?.length) return [`an error for ${key}, which is no open request`];
    methods.pop();
    return [];
  }
}

// An error that answers a message whose id can't be read carries no id. Only
// 2025-11-25 has a form for that; elsewhere it passes as if it had one.
function withReadableId(message) {
  return message?.error !== undefined && message.id === undefined ? { ...message, id: 0 } : message;
}

// A method under a name of its own, such as zoo/feed, is the server's, and has
// no schema.
function isOwn(method) {
  const family = method?.match(/^[^/]+\//)?.[0];
  return family !== undefined && ![...judges.values()].some(judge => judge.knows(family));
}

// The id as the line has it, since 1 and 1.0 are two ids and one number.
function rawID(line, name, value) {
  const raw = line.match(new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|[-+.0-9eE]+)`))?.[1];
  return raw !== undefined && parse(raw) === value ? raw : JSON.stringify(value);
}

function parse(text) {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
