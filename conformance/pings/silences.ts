import type { ClientFormat } from '../readers/index.ts';

/* Upstreams that are silent until their client has heard a ping, however long that takes. */

export const PING: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': ': keep-alive\n',
  'openai-responses': ': keep-alive\n',
  'anthropic-messages': 'event: ping\ndata: {"type": "ping"}\n\n',
  gemini: '\r\n',
};

/** When the client of a request has heard enough for its upstream to go on: at a ping, or at the first ping after something else. */
export type Patience = 'ping' | 'ping-after-event';

/** The silences of all requests; each request is known by words that its upstream finds in its body. */
export class Silences {
  private readonly waiting = new Map<string, () => void>();
  private count = 0;

  /** Words for the prompt of one more request. */
  newWords(): string {
    return `(request ${++this.count})`;
  }

  /** For the upstream: waits until the client of the request has heard a ping. */
  readonly last = (body: string): Promise<void> => {
    return new Promise((resolve) => this.waiting.set(wordsIn(body), resolve));
  };

  /** For the client: the pieces of the answer to the request with that body, as they come. */
  async *heard(response: Response, body: string, format: ClientFormat, patience: Patience): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let hasEvent = patience === 'ping';
    for await (const bytes of response.body ?? []) {
      const piece = decoder.decode(bytes);
      if (piece !== PING[format]) hasEvent = true;
      else if (hasEvent && this.release(wordsIn(body))) hasEvent = patience === 'ping';
      yield piece;
    }
  }

  private release(words: string): boolean {
    const resolve = this.waiting.get(words);
    this.waiting.delete(words);
    resolve?.();
    return resolve !== undefined;
  }
}

function wordsIn(body: string): string {
  return /\(request \d+\)/.exec(body)?.[0] ?? '';
}
