// A queue for a test to wait at.

/** Gives what is delivered to those who wait for the next, in order of arrival. */
export function mailbox() {
  const delivered = [];
  const waiting = [];
  return {
    deliver: value => (waiting.shift() ?? (value => delivered.push(value)))(value),
    next: () => (delivered.length > 0 ? delivered.shift() : new Promise(resolve => waiting.push(resolve))),
  };
}
