import type { RequestFacts } from '../call/request-facts.ts';

/** English, code and Chinese all have between 3.5 and 4.5 bytes per token. */
const BYTES_PER_TOKEN = 4;

/** The facts of a request without a conversation, as far as its operation has them. */
interface PlainRequest {
  readonly stream?: boolean;
  /** The client's name for its end user. */
  readonly user?: unknown;
  /** Returns the texts that the model reads. */
  readonly texts?: () => Iterable<string>;
  /** The number of images that the model reads. */
  readonly images?: number;
}

/** The facts of a request for another operation than text. */
export class PlainFacts implements RequestFacts {
  constructor(private readonly request: PlainRequest) {}

  get stream(): boolean {
    return this.request.stream ?? false;
  }

  inputTokens(): number | null {
    const { texts } = this.request;
    if (texts === undefined) return null;
    let bytes = 0;
    for (const text of texts()) bytes += Buffer.byteLength(text);
    return Math.ceil(bytes / BYTES_PER_TOKEN);
  }

  tools(): null {
    return null;
  }

  images(): number | null {
    return this.request.images ?? null;
  }

  audio(): null {
    return null;
  }

  files(): null {
    return null;
  }

  reasoningEffort(): null {
    return null;
  }

  session(): null {
    return null;
  }

  user(): string | null {
    return namedUser(this.request.user);
  }
}

/** Returns a client's name for its end user; `null` if it is no text or empty. */
export function namedUser(user: unknown): string | null {
  return typeof user === 'string' && user.trim() !== '' ? user.trim() : null;
}
