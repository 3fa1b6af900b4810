// A subscriptions/listen request as the stream of notifications that it opens.

const listChanges = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

/** What one client listens to. Its methods judge what the server sends there and return the violations. */
export class Subscription {
  #asked;
  #granted;

  /** asked is the filter of the request. */
  constructor(asked) {
    this.#asked = asked ?? {};
  }

  /** Takes the acknowledgement, which grants no more than was asked for. */
  acknowledge(granted) {
    if (this.#granted) return ['a second acknowledgement'];
    this.#granted = granted;
    return Object.entries(granted)
      .filter(([name, value]) => !isWithin(value, this.#asked[name]))
      .map(([name]) => `an acknowledgement of ${name}, which was not asked for`);
  }

  /** Takes a notification, which must be of what was granted. */
  deliver({ method, params }) {
    if (!this.#granted) return [`${method} before the acknowledgement`];
    const isGranted = method === 'notifications/resources/updated'
      ? this.#granted.resourceSubscriptions?.includes(params.uri)
      : this.#granted[listChanges[method]];
    return isGranted ? [] : [`${method}, which this subscription has not`];
  }

  /** Takes the result with which the server ends the subscription. */
  end() {
    return this.#granted ? [] : ['an end before the acknowledgement'];
  }
}

function isWithin(granted, asked) {
  if (Array.isArray(granted)) return granted.every(uri => Array.isArray(asked) && asked.includes(uri));
  return !granted || asked === true;
}
