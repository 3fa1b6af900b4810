// What the Go tests say of the servers, of the gateways in front of them, and of
// what to ask.

import { readFileSync } from 'node:fs';

const read = variable => JSON.parse(readFileSync(process.env[variable]));

/** Where the Inspector finds them. */
export const fleetFile = process.env.FLEET;

/** How to start each of them, by name. */
export const { mcpServers: entries } = read('FLEET');

/** The folder of files. */
export const root = process.env.ROOT;

/** Calls of all servers, by the servers' own names: {server, method, params}. */
export const calls = read('CALLS');

export const gateways = ['clamped gateway', 'unclamped gateway'];
export const servers = Object.keys(entries).filter(name => !gateways.includes(name));

/** A definition as the gateway has it, of a server whose own it is. */
export function served(server, { execution, ...definition }) {
  return { ...definition, name: `${server}.${definition.name}` };
}

/** Params with the gateway's names for the server's own. */
export function forGateway(server, { name, ref, ...params }) {
  if (name !== undefined) return { ...params, name: `${server}.${name}` };
  return { ...params, ref: { ...ref, name: `${server}.${ref.name}` } };
}

/** The entries of a list by what names them. */
export const by = (key, list) => Object.fromEntries(list.map(entry => [entry[key], entry]));
