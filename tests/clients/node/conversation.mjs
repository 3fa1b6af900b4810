// A conversation between one client and one server. Every message of the server
// is judged by the revision that holds for it: what follows from a request by the
// request's own, anything else by the one that initialize agreed on.

import { parse, rawID } from './json.mjs';
import { isOwn, judges, modern } from './judges.mjs';
import { OpenRequests, Request } from './requests.mjs';

const newestLegacy = '2025-11-25';
const metaPrefix = 'io.modelcontextprotocol/';
const subscriptionID = `${metaPrefix}subscriptionId`;
const serverInfo = `${metaPrefix}serverInfo`;
const legacyResourceNotFound = -32002;

/** Reports whether a server's line is such as only a server of the modern revision writes. */
export function isModern(line) {
  return [parse(line)].flat().some(message =>
    message?.result?.resultType !== undefined
    || judges.get(modern).hasError(message?.error?.code)
    || [message?.result?._meta, message?.params?._meta].some(meta => meta?.[subscriptionID] !== undefined || meta?.[serverInfo] !== undefined));
}

/** Takes the lines of both sides in their order, and returns the violations of the server's. */
export class Conversation {
  #bothEras;
  // Until initialize is answered, servers talk as the newest legacy revision.
  #revision = newestLegacy;
  #requests = new OpenRequests();
  #hasLegacy = false; // whether the client has sent a legacy request
  #hasInitialize = false;

  /** bothEras says whether the server serves the modern revision beside the legacy ones. */
  constructor(bothEras) {
    this.#bothEras = bothEras;
  }

  /** Takes the client's next line. */
  fromClient(line) {
    for (const message of [parse(line)].flat()) {
      const asks = message?.method !== undefined || (message?.result === undefined && message?.error === undefined);
      if (message?.method === 'notifications/cancelled') {
        this.#requests.cancel(rawID(line, 'requestId', message.params?.requestId));
      }
      if (!asks || !['string', 'number'].includes(typeof message?.id)) continue;
      const request = new Request(message, this.#bothEras);
      this.#requests.add(rawID(line, 'id', message.id), request);
      this.#hasLegacy ||= !request.isModern;
      this.#hasInitialize ||= !request.isModern && request.method === 'initialize';
    }
  }

  /** Takes the server's next line and returns its violations. */
  fromServer(line) {
    const message = parse(line);
    if (message === undefined) return ['not JSON'];
    if (/[\r\n]/.test(line)) return ['a line break inside a message'];
    return Array.isArray(message) ? this.#batch(message) : this.#message(message, line);
  }

  #batch(members) {
    if (!this.#legacy.hasBatches) return [`a batch, which ${this.#revision} has not`];
    return members.length > 0 ? members.flatMap(member => this.#message(member, JSON.stringify(member))) : ['an empty batch'];
  }

  #message(message, line) {
    const key = rawID(line, 'id', message?.id);
    if (message?.method === undefined) {
      return message?.error === undefined ? this.#result(message, key, line) : this.#error(message, key);
    }
    const violations = this.#legacy.envelope(message);
    if (violations.length > 0) return violations;
    return message.id === undefined ? this.#notification(message, line) : this.#request(message);
  }

  get #legacy() {
    return judges.get(this.#revision);
  }

  /** The judge of what follows from a request; without one, of what precedes them all. */
  #judgeOf(request) {
    return judges.get(request?.revision ?? this.#revision);
  }

  #request(message) {
    if (!this.#bothEras) return this.#legacy.request(message);
    const calls = this.#requests.open.filter(({ subscription }) => !subscription);
    const followsModern = calls.length > 0 && calls.every(({ isModern }) => isModern);
    if (followsModern || !this.#hasInitialize) return judges.get(modern).request(message);
    return this.#legacy.request(message);
  }

  #notification(message, line) {
    const id = message.params?._meta?.[subscriptionID];
    if (id !== undefined || message.method === 'notifications/subscriptions/acknowledged') {
      return this.#streamed(message, rawID(line, subscriptionID, id));
    }
    if (this.#requests.all.some(request => request.wants(message))) return judges.get(modern).notification(message);
    if (this.#bothEras && !this.#hasLegacy) return [`${message.method}, which no open request wants`];
    return this.#legacy.notification(message);
  }

  #streamed(message, key) {
    if (!this.#bothEras) return this.#legacy.notification(message);
    const subscription = this.#requests.awaited(key)[0]?.subscription;
    if (!subscription) return [`${message.method} for ${key}, which is no open subscription`];
    const violations = judges.get(modern).notification(message);
    if (violations.length > 0) return violations;
    return message.method === 'notifications/subscriptions/acknowledged'
      ? subscription.acknowledge(message.params.notifications) : subscription.deliver(message);
  }

  #result(message, key, line) {
    const awaited = this.#requests.awaited(key);
    const [request] = awaited;
    const violations = this.#judgeOf(request).envelope(message);
    if (violations.length > 0) return violations;
    if (!request) return [`a result for ${key}, which is no open request`];
    awaited.shift();
    return request.isModern ? this.#modernResult(request, message.result, key, line) : this.#legacyResult(request, message.result);
  }

  #modernResult({ method, subscription }, result, key, line) {
    const violations = isOwn(method) ? [] : judges.get(modern).result(method, result);
    if (!result._meta?.[serverInfo]) violations.push(`result for ${method}: it doesn't say which server it is from`);
    if (!subscription) return violations;
    const ended = rawID(line, subscriptionID, result._meta?.[subscriptionID]);
    if (ended !== key) violations.push(`the end of subscription ${ended} in the answer to ${key}`);
    return [...violations, ...subscription.end()];
  }

  #legacyResult(request, result) {
    if (isOwn(request.method)) return [];
    if (request.method !== 'initialize') return this.#judgeOf(request).result(request.method, result);
    const selected = result.protocolVersion;
    if (!judges.has(selected) || selected === modern) {
      return [`initialize selects the unknown revision ${JSON.stringify(selected)}`];
    }
    this.#revision = selected;
    return this.#legacy.result(request.method, result);
  }

  // Of two open requests with one id it is the later that is refused.
  #error(message, key) {
    const awaited = message.id === undefined ? [] : this.#requests.awaited(key);
    const request = awaited.at(-1);
    const judge = this.#judgeOf(request);
    const violations = judge.envelope(withReadableID(message));
    if (violations.length > 0 || message.id === undefined) return violations;
    if (!request) return [`an error for ${key}, which is no open request`];
    awaited.pop();
    return this.#code(message, judge, request.isModern);
  }

  #code(message, judge, isModern) {
    const { code } = message.error;
    if (judge.hasError(code)) return judge.error(message);
    const isForeign = [...judges.values()].some(other => other.hasError(code))
      || (isModern && code === legacyResourceNotFound);
    return isForeign ? [`error ${code}, which this revision has not`] : [];
  }
}

// An error that answers a message whose id can't be read carries no id. From
// 2025-11-25 on there is a form for that; elsewhere it passes as if it had one.
function withReadableID(message) {
  return message.id === undefined ? { ...message, id: 0 } : message;
}
