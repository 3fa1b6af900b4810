// A judge for each protocol revision.

import { officialSchemas } from './schemas.mjs';
import { Revision } from './revision.mjs';

/** The revision without handshake: each request says of itself that it is of this one. */
export const modern = '2026-07-28';

/** Maps each revision to its judge. */
export const judges = new Map();
for (const [name, schema] of officialSchemas()) judges.set(name, new Revision(schema));

/** Reports whether a method's name is the server's own, such as zoo/feed; it has no schema. */
export function isOwn(method) {
  const family = method?.match(/^[^/]+\//)?.[0];
  return family !== undefined && ![...judges.values()].some(judge => judge.knows(family));
}
