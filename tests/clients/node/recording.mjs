// A recording is a conversation between one client and one server, a JSON object
// a line: {"from":"client"|"server","line":"<the raw line as sent>"}. Here every
// message of the server is checked against the revision that holds for it.
//
// Whether a server heeds what a request says of its revision depends on how it was
// built, which a recording doesn't tell. But a server that does shows it: by its
// first modern answer, and then all of its answers are held to it.

import { Conversation, isModern } from './conversation.mjs';
import { parse } from './json.mjs';

/** Returns the violations in a recording's text, each {line, violation}; lines count from 1. */
export function checkRecording(text) {
  const entries = text.split('\n').map(entry => (entry.trim() === '' ? undefined : parse(entry) ?? {}));
  const conversation = new Conversation(entries.some(entry => isFromServer(entry) && isModern(entry.line)));
  const found = [];
  entries.forEach((entry, index) => {
    if (entry === undefined) return;
    for (const violation of violationsIn(entry, conversation)) found.push({ line: index + 1, violation });
  });
  return found;
}

function isFromServer(entry) {
  return entry?.from === 'server' && typeof entry.line === 'string';
}

function violationsIn(entry, conversation) {
  if (typeof entry.line !== 'string') return ['no recorded line'];
  if (isFromServer(entry)) return conversation.fromServer(entry.line);
  if (entry.from !== 'client') return [`recorded from ${JSON.stringify(entry.from)}, which is neither client nor server`];
  conversation.fromClient(entry.line);
  return [];
}
