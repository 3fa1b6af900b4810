// A stdio transport of a client SDK whose messages a test can look at.

/** Passes everything on between a client and its transport. */
export class WitnessedTransport {
  /** Every message of the server, in order of arrival. */
  received = [];
  /** Resolves to the exit code of the server's process. */
  ended;
  #stdio;

  constructor(stdio) {
    this.#stdio = stdio;
  }

  // By these two a client knows that it talks over stdio.
  get pid() {
    return this.#stdio.pid;
  }

  get stderr() {
    return this.#stdio.stderr;
  }

  async start() {
    this.#stdio.onmessage = message => {
      this.received.push(message);
      this.onmessage?.(message);
    };
    this.#stdio.onclose = () => this.onclose?.();
    this.#stdio.onerror = error => this.onerror?.(error);
    await this.#stdio.start();
    this.ended = new Promise(resolve => this.#stdio._process.once('exit', resolve));
  }

  send(message) {
    return this.#stdio.send(message);
  }

  close() {
    return this.#stdio.close();
  }
}
