import { parseRedisAddress } from './address.ts';
import { openClient, type Patience, type RedisClient } from './connection.ts';

/** What a gateway tells the others, by the scripts of `cache-scripts.ts`. */
export type CacheMessage =
  | { readonly kind: 'put'; readonly key: string; readonly id: string; readonly head: Uint8Array | null }
  | { readonly kind: 'removed'; readonly keys: readonly string[] }
  | { readonly kind: 'invalidated'; readonly key: string; readonly id: string; readonly untilMs: number }
  /** `tag` is the account's, empty for all. */
  | { readonly kind: 'cleared'; readonly tag: string };

export interface CacheMessagesOptions {
  /** As in `REDIS_URL`. */
  readonly url: string;
  readonly channel: string;
  /** `isOwn` where this gateway has sent it itself. */
  readonly onMessage: (message: CacheMessage, isOwn: boolean) => void;
  readonly node: string;
  /** Some did not arrive. */
  readonly onMissed: () => void;
  readonly patience?: Patience | undefined;
}

const LINE = 0x0a;

/**
 * Messages of all gateways. Redis sends each at most once; they are numbered for each part of the cache, so that it is known when some are
 * missing: by the next one, or by what Redis says was the last.
 */
export class CacheMessages {
  readonly #options: CacheMessagesOptions;
  readonly #client: RedisClient;
  readonly #subscribed = Promise.withResolvers<void>();
  /** The last number of each part, by its first key. */
  readonly #heard = new Map<string, number>();
  /** What Redis said was the last number, at the last look. */
  readonly #expected = new Map<string, number>();

  constructor(options: CacheMessagesOptions) {
    this.#options = options;
    this.#client = openClient(parseRedisAddress(options.url), options.patience);
    // Commands on the other connection report what is wrong.
    this.#client.on('error', () => {});
    this.#client.on('ready', () => void this.#subscribe());
    this.#client.on('messageBuffer', (_channel: Buffer, message: Buffer) => this.#received(message));
  }

  /** Resolves when all that is sent from now on is heard; it goes on trying for as long as it takes. */
  connect(): Promise<void> {
    this.#client.connect().catch(() => {});
    return this.#subscribed.promise;
  }

  close(): void {
    this.#client.disconnect();
  }

  /** `last` is the number of the part's last message. Those that are on their way have until the next look. */
  look(part: string, last: number): void {
    const heard = this.#heard.get(part);
    const expected = this.#expected.get(part);
    this.#expected.set(part, last);
    if (heard === undefined) this.#heard.set(part, last);
    else if (last < heard || (expected !== undefined && heard < expected)) this.#missed(part, last);
  }

  async #subscribe(): Promise<void> {
    try {
      await this.#client.subscribe(this.#options.channel);
    } catch {
      return;
    }
    // What was sent while there was no connection is lost.
    this.#heard.clear();
    this.#expected.clear();
    this.#options.onMissed();
    this.#subscribed.resolve();
  }

  #received(bytes: Buffer): void {
    const message = parsedMessage(bytes);
    if (message === null) return;
    const { part, number, node, content } = message;
    const heard = this.#heard.get(part);
    if (heard === undefined || number === heard + 1) this.#heard.set(part, number);
    else if (number > heard) this.#missed(part, number);
    this.#options.onMessage(content, node === this.#options.node);
  }

  #missed(part: string, last: number): void {
    this.#heard.set(part, last);
    this.#expected.delete(part);
    this.#options.onMissed();
  }
}

interface ParsedMessage {
  readonly node: string;
  readonly part: string;
  readonly number: number;
  readonly content: CacheMessage;
}

/** Kind, gateway, part, number and more, in lines; the last one may be bytes. `null` for what no gateway of this release has sent. */
function parsedMessage(bytes: Buffer): ParsedMessage | null {
  const [kind = '', node = '', part = '', number = '', ...rest] = linesOf(bytes, 4);
  const content = contentOf(kind, rest[0] ?? Buffer.alloc(0));
  return content === null ? null : { node: String(node), part: String(part), number: Number(String(number)), content };
}

function contentOf(kind: Buffer | string, rest: Buffer): CacheMessage | null {
  switch (String(kind)) {
    case 'put': {
      const [key = '', id = '', head] = linesOf(rest, 2);
      return {
        kind: 'put',
        key: String(key),
        id: String(id),
        head: head === undefined || head.length === 0 ? null : head,
      };
    }
    case 'removed':
      return { kind: 'removed', keys: String(rest).split('\n') };
    case 'invalidated': {
      const [key = '', id = '', untilMs = '0'] = String(rest).split('\n');
      return { kind: 'invalidated', key, id, untilMs: Number(untilMs) };
    }
    case 'cleared':
      return { kind: 'cleared', tag: String(rest) };
    default:
      return null;
  }
}

/** So many lines, and what follows them. */
function linesOf(bytes: Buffer, count: number): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  while (lines.length < count) {
    const end = bytes.indexOf(LINE, from);
    if (end === -1) break;
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  lines.push(bytes.subarray(from));
  return lines;
}
