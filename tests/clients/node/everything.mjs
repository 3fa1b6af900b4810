// What the server that has one of each is known to have.

import { readFileSync } from 'node:fs';

export const server = 'MCPServer_everything';

const file = name => readFileSync(new URL(`../../../aspects/everything/${name}`, import.meta.url)).toString('base64');

/** Its image and its sound, as they are sent. */
export const picture = file('picture.png');
export const sound = file('sound.wav');

/** The members of its definitions and results that show _meta have this in them. */
export const shows = what => ({ 'everything.example/shows': `the _meta of ${what}` });
