import { parseRedisAddress } from './address.ts';
import { openClient, type Patience, type RedisClient } from './connection.ts';

/** Messages between gateways, sent by the scripts in `cache-scripts.ts`. */
export type CacheMessage =
  | { readonly kind: 'put'; readonly key: string; readonly id: string; readonly head: Uint8Array | null }
  | { readonly kind: 'removed'; readonly keys: readonly string[] }
  | { readonly kind: 'invalidated'; readonly key: string; readonly id: string; readonly untilMs: number }
  /** `tag` is that of the account, or empty for all. */
  | { readonly kind: 'cleared'; readonly tag: string };

export interface CacheMessagesOptions {
  /** An address as in `REDIS_URL`. */
  readonly url: string;
  readonly channel: string;
  /** `isOwn` if this gateway sent the message itself. */
  readonly onMessage: (message: CacheMessage, isOwn: boolean) => void;
  readonly node: string;
  /** Called if messages were lost. */
  readonly onMissed: () => void;
  readonly patience?: Patience | undefined;
}

const LINE = 0x0a;

/**
 * Receives messages of all gateways. Redis delivers each at most once. They are numbered within each part of the cache, so that a lost one
 * is detected by the next message or by the last number that Redis reports.
 */
export class CacheMessages {
  readonly #options: CacheMessagesOptions;
  readonly #client: RedisClient;
  readonly #subscribed = Promise.withResolvers<void>();
  /** The last received number of each part, by its first key. */
  readonly #heard = new Map<string, number>();
  /** The last number reported by Redis at the previous check. */
  readonly #expected = new Map<string, number>();

  constructor(options: CacheMessagesOptions) {
    this.#options = options;
    this.#client = openClient(parseRedisAddress(options.url), options.patience);
    // Errors are reported by commands on the other connection.
    this.#client.on('error', () => {});
    this.#client.on('ready', () => void this.#subscribe());
    this.#client.on('messageBuffer', (_channel: Buffer, message: Buffer) => this.#received(message));
  }

  /** Resolves when subscribed, so that all later messages are received. Retries without limit. */
  connect(): Promise<void> {
    this.#client.connect().catch(() => {});
    return this.#subscribed.promise;
  }

  close(): void {
    this.#client.disconnect();
  }

  /** Checks for lost messages. `last` is the number of the part's last message; messages in flight may arrive until the next check. */
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
    // Messages sent while disconnected are lost.
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

/**
 * Parses a message: kind, gateway, part, number and more in lines, of which the last may be binary. Returns `null` for one that no gateway
 * of this release sent.
 */
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

/** Splits off `count` lines and returns them with the rest. */
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
