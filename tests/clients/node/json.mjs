// JSON as it stands in the recorded lines.

/** The parsed text, or undefined if it is no JSON. */
export function parse(text) {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The id that a member has, as the line writes it, since 1 and 1.0 are two ids and one number. */
export function rawID(line, name, value) {
  const raw = line.match(new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|[-+.0-9eE]+)`))?.[1];
  return raw !== undefined && parse(raw) === value ? raw : JSON.stringify(value);
}
