import type { ClientFormat } from '../readers/index.ts';

/* Upstreams that stay silent until their client has received a ping, however long that takes. */

export const PING: Readonly<Record<ClientFormat, string>> = {
  'openai-chat': ': keep-alive\n',
  'openai-responses': ': keep-alive\n',
  'anthropic-messages': 'event: ping\ndata: {"type": "ping"}\n\n',
  gemini: '\r\n',
};

/** The ping that ends an upstream's silence: the first one, or the first one after something else. */
export type Patience = 'ping' | 'ping-after-event';

/** The silences of all requests. A request is identified by a marker in its prompt. */
export class Silences {
  private readonly waiting = new Map<string, () => void>();
  private count = 0;

  /** Returns a marker for the prompt of a new request. */
  newWords(): string {
    return `(request ${++this.count})`;
  }

  /** For the upstream: resolves when the client of the request has received a ping. */
  readonly last = (body: string): Promise<void> => {
    return new Promise((resolve) => this.waiting.set(wordsIn(body), resolve));
  };

  /** For the client: yields the pieces of the response to the request with this body as they arrive. */
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
