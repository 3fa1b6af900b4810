// What a client has asked for and waits for.

import { judges, modern } from './judges.mjs';
import { Subscription } from './subscription.mjs';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const modernKeys = [versionKey, 'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/clientInfo', 'io.modelcontextprotocol/logLevel'];
const logLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** A request of the client. */
export class Request {
  /** The revision that the request names for itself; undefined: the one that holds on the connection. */
  revision;
  /** The stream that it opens, if it is a modern subscriptions/listen. */
  subscription;
  #meta;

  /** bothEras says whether the server heeds what a request says of its revision. */
  constructor({ method, params }, bothEras) {
    this.method = method;
    this.#meta = params?._meta ?? {};
    if (bothEras) this.revision = this.#named();
    if (this.isModern && method === 'subscriptions/listen') this.subscription = new Subscription(params?.notifications);
  }

  get isModern() {
    return this.revision === modern;
  }

  #named() {
    if (!modernKeys.some(key => this.#meta[key] !== undefined)) return this.method === 'server/discover' ? modern : undefined;
    const version = this.#meta[versionKey];
    if (!judges.has(version)) return modern; // which refuses it
    return this.method === 'initialize' && version !== modern ? undefined : version;
  }

  /** Reports whether a notification may come for this modern request until it is answered. */
  wants({ method, params }) {
    if (!this.isModern) return false;
    switch (method) {
      case 'notifications/progress':
        return params.progressToken === this.#meta.progressToken;
      case 'notifications/message': {
        const least = logLevels.indexOf(this.#meta['io.modelcontextprotocol/logLevel']);
        return least >= 0 && logLevels.indexOf(params.level) >= least;
      }
    }
    return false;
  }
}

/** The requests that can still be answered, by their ids as they were written. */
export class OpenRequests {
  // Oldest first; more than one only where a client reuses an open id.
  #open = new Map();
  // What was cancelled last under an id; an answer may have been under way.
  #cancelled = new Map();

  add(key, request) {
    this.#open.set(key, [...this.#open.get(key) ?? [], request]);
  }

  cancel(key) {
    const request = this.#open.get(key)?.shift();
    if (request) this.#cancelled.set(key, [request]);
  }

  /** The requests with that id, to take from what is answered. */
  awaited(key) {
    const open = this.#open.get(key);
    return (open?.length ? open : this.#cancelled.get(key)) ?? [];
  }

  /** All that are neither answered nor cancelled. */
  get open() {
    return [...this.#open.values()].flat();
  }

  /** All that the server may still be busy with. */
  get all() {
    return [...this.open, ...[...this.#cancelled.values()].flat()];
  }
}
