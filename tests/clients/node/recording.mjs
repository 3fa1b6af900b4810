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
      if (!asks || !['string', 'number'].includes(typeof message?.id)) continue;
      const key = JSON.stringify(message.id);
      this.#open.set(key, [...this.#open.get(key) ?? [], message.method]);
    }
  }

  #fromServer(line) {
    const message = parse(line);
    if (message === undefined) return ['not JSON'];
    if (/[\r\n]/.test(line)) return ['a line break inside a message'];
    return Array.isArray(message) ? this.#batch(message) : this.#message(message);
  }

  #batch(members) {
    if (!this.#judge.hasBatches) return [`a batch, which ${this.#revision} has not`];
    return members.length > 0 ? members.flatMap(member => this.#message(member)) : ['an empty batch'];
  }

  #message(message) {
    const violations = this.#judge.envelope(withReadableId(message));
    if (violations.length > 0) return violations;
    if (message.method !== undefined) {
      return message.id === undefined ? this.#judge.notification(message) : this.#judge.request(message);
    }
    return message.error === undefined ? this.#result(message) : this.#error(message);
  }

  #result({ id, result }) {
    const methods = this.#open.get(JSON.stringify(id));
    if (!methods?.length) return [`a result for ${JSON.stringify(id)}, which is no open request`];
    const method = methods.shift();
    if (method !== 'initialize') return this.#judge.result(method, result);
    const selected = result.protocolVersion;
    if (!judges.has(selected)) return [`initialize selects the unknown revision ${JSON.stringify(selected)}`];
    this.#revision = selected;
    return this.#judge.result(method, result);
  }

  // Of two open requests with one id it is the later that is refused.
  #error({ id }) {
    if (id === undefined) return [];
    const methods = this.#open.get(JSON.stringify(id));
    if (!methods?.length) return [`an error for ${JSON.stringify(id)}, which is no open request`];
    methods.pop();
    return [];
  }
}

// An error that answers a message whose id can't be read carries no id. Only
// 2025-11-25 has a form for that; elsewhere it passes as if it had one.
function withReadableId(message) {
  return message?.error !== undefined && message.id === undefined ? { ...message, id: 0 } : message;
}

function parse(text) {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
