import { createHmac } from 'node:crypto';
import type { CacheEntry } from '../../domain/cache/cache.ts';
import type { CachePage } from '../../engine/ports/cache-store.ts';
import type { RedisFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { deriveKey } from '../shared/aes-gcm.ts';
import type { Block } from '../shared/cache/blocks.ts';
import { type ClosedEntry, EntryCodec, type EntryHead } from '../shared/cache/entry-codec.ts';
import type { Service, Use } from '../shared/cache/write-queue.ts';
import { RedisAccess } from './access.ts';
import {
  CACHE_KEYS,
  CACHED_ENTRY_BYTES,
  CLEAR_ENTRIES,
  DROP_ENTRIES,
  FIND_ENTRIES,
  FIND_ID,
  FIND_QUESTIONS,
  INVALIDATE_ENTRY,
  LIST_ENTRIES,
  NO_TAG,
  NOTE_USES,
  PUT_ENTRIES,
  SWEEP_ENTRIES,
  TAG_CHARACTERS,
  WAS_SERVED,
} from './cache-scripts.ts';
import { bytesArgument, type Patience, run, runForBytes } from './connection.ts';
import type { Script } from './scripts.ts';

export interface CachePartsOptions {
  /** An address as in `REDIS_URL`. */
  readonly url: string;
  readonly masterSecret: string;
  readonly encrypts: boolean;
  /** The limit on Redis's memory for all gateways together. */
  readonly maxBytes: number;
  readonly logger: Logger;
  readonly nowMs: () => number;
  readonly onOutageEnd: () => void;
  readonly patience?: Patience | undefined;
}

export interface PartState {
  /** The part's name in messages. */
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly lastMessage: number;
}

/** On a cluster each part is on one node. */
const PARTS = 4;
export const CACHE_CHANNEL = 'switchyard:cache:changes';
/** The largest share of a part per account, as in the other caches. */
const ACCOUNT_SHARE = 0.5;
/** The longest wait of a request; its upstream takes many times as long. */
const FIND_TIMEOUT_MS = 50;
/** For commands that no request waits for. */
const WRITE_TIMEOUT_MS = 1_000;
const MAX_WAITING = 10_000;
const MAX_READ_BYTES = 4 * 1024 * 1024;
const TOLD_AGAIN_MS = 600_000;
/** Each step scans 2,000 entries. */
const MOST_STEPS = 100;
const MOST_MS = 9_000_000_000_000_000;

type Argument = string | number | Buffer;

/** The entries in Redis, in parts (`cache-scripts.ts`). All methods reject if Redis is unavailable, and report the outage. */
export class CacheParts {
  readonly node = crypto.randomUUID();
  readonly #options: CachePartsOptions;
  readonly #redis: RedisAccess;
  readonly #codec: EntryCodec;
  readonly #tagKey: Uint8Array;
  #quietUntilMs = 0;

  constructor(options: CachePartsOptions) {
    const { url, masterSecret, encrypts, logger, onOutageEnd, patience } = options;
    this.#options = options;
    this.#codec = new EntryCodec('redis', masterSecret, encrypts);
    this.#tagKey = deriveKey(masterSecret, 'switchyard cache v1');
    this.#redis = new RedisAccess({
      use: 'cache',
      ...{ url, logger, onOutageEnd, patience },
      answerTimeoutMs: FIND_TIMEOUT_MS,
      maxWaiting: MAX_WAITING,
      words: {
        began: 'the cache cannot be shared over Redis; each gateway uses its own memory for now',
        ended: 'the cache is shared over Redis again',
      },
      probe: async () => {
        await Promise.all(this.#all((part) => this.#ask(SWEEP_ENTRIES, part, [])));
      },
    });
  }

  get figures(): RedisFigures {
    return this.#redis.figures;
  }

  get isAway(): boolean {
    return this.#redis.isAway;
  }

  connect(): Promise<void> {
    return this.#redis.connect();
  }

  close(): Promise<void> {
    return this.#redis.close();
  }

  accountTag(accountId: string): string {
    return this.#tag('account', accountId);
  }

  openHead(key: string, head: Uint8Array): EntryHead | null {
    return this.#codec.openHead(key, head);
  }

  /** Resolves to the entries that were stored. */
  async put(entries: readonly CacheEntry[]): Promise<readonly CacheEntry[]> {
    const byPart = Map.groupBy(entries, ({ key }) => partOf(key));
    const kept = await Promise.all([...byPart].map(([part, inPart]) => this.#putInPart(part, inPart)));
    return kept.flat();
  }

  /** Resolves to entries in the order of the keys. */
  async find(keys: readonly string[]): Promise<readonly (CacheEntry | null)[]> {
    const found = new Map<string, CacheEntry | null>();
    const read = async (part: number, inPart: readonly string[]) => {
      const answer = await this.#askForBytes(FIND_ENTRIES, part, [MAX_READ_BYTES, ...inPart]);
      const entries = inPart.map((key, index) => this.#opened(key, answer[index * 2], answer[index * 2 + 1]));
      for (const [index, key] of inPart.entries()) found.set(key, entries[index]?.entry ?? null);
      this.#drop(
        part,
        inPart.filter((_, index) => entries[index]?.isUnreadable),
      );
    };
    await Promise.all([...Map.groupBy(new Set(keys), partOf)].map(([part, inPart]) => read(part, inPart)));
    return keys.map((key) => found.get(key) ?? null);
  }

  /** Resolves to the entry's key and the time until which it is invalidated; either may be missing. */
  async findId(id: string): Promise<{ readonly key: string | null; readonly invalidatedUntilMs: number }> {
    const answers = await Promise.all(this.#all((part) => this.#askForBytes(FIND_ID, part, [id])));
    const keys = answers.flatMap(([key]) => (Buffer.isBuffer(key) ? [String(key)] : []));
    const untils = answers.map(([, until]) => (Buffer.isBuffer(until) ? Number(String(until)) : 0));
    return { key: keys[0] ?? null, invalidatedUntilMs: Math.max(...untils) };
  }

  async invalidate({ key, id, untilMs }: Block): Promise<number> {
    const until = Math.floor(Math.min(Math.max(untilMs, 0), MOST_MS));
    return Number(await this.#ask(INVALIDATE_ENTRY, partOf(key), [key, id, until]));
  }

  /** Resolves to the number of entries removed. */
  async clear(accountId: string | null): Promise<number> {
    const tag = accountId === null ? '' : this.accountTag(accountId);
    const counts = await Promise.all(this.#all((part) => this.#clearPart(part, tag)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async questions(partition: string, limit: number): Promise<readonly EntryHead[]> {
    const args = [this.#tag('partition', partition), limit, MAX_READ_BYTES / PARTS];
    const answers = await Promise.all(this.#all((part) => this.#askForBytes(FIND_QUESTIONS, part, args)));
    return answers.flatMap((answer) => this.#heads(answer));
  }

  /** Resolves to a page of each part. */
  async list(page: CachePage): Promise<readonly EntryHead[]> {
    return (await Promise.all(this.#all((part) => this.#listPart(part, page)))).flat();
  }

  async note(uses: readonly Use[], services: readonly Service[]): Promise<void> {
    const usesOf = Map.groupBy(uses, ({ key }) => partOf(key));
    const servicesOf = Map.groupBy(services, ({ key }) => partOf(key));
    const parts = new Set([...usesOf.keys(), ...servicesOf.keys()]);
    const note = (part: number) => {
      const used = (usesOf.get(part) ?? []).flatMap(({ key, atMs }) => [key, Math.floor(atMs)]);
      const served = (servicesOf.get(part) ?? []).map(({ id, accountId }) => this.#service(id, accountId));
      return this.#ask(NOTE_USES, part, [used.length / 2, ...used, ...served]);
    };
    await Promise.all([...parts].map(note));
  }

  async wasServed({ id, key }: Pick<CacheEntry, 'id' | 'key'>, accountId: string): Promise<boolean> {
    return (await this.#ask(WAS_SERVED, partOf(key), [this.#service(id, accountId)])) !== null;
  }

  /** Drops expired entries. */
  sweep(): Promise<readonly PartState[]> {
    const sweep = async (part: number) => {
      const answer = await this.#ask(SWEEP_ENTRIES, part, []);
      const [entries = 0, bytes = 0, lastMessage = 0] = Array.isArray(answer) ? answer.map(Number) : [];
      return { name: keysOf(part)[0] ?? '', entries, bytes, lastMessage };
    };
    return Promise.all(this.#all(sweep));
  }

  async #putInPart(part: number, entries: readonly CacheEntry[]): Promise<readonly CacheEntry[]> {
    const bytes = Math.floor(this.#options.maxBytes / PARTS);
    const args = entries.flatMap((entry) => this.#putArguments(entry));
    try {
      const kept = await this.#ask(PUT_ENTRIES, part, [bytes, Math.floor(bytes * ACCOUNT_SHARE), ...args]);
      return entries.filter((_, index) => Array.isArray(kept) && kept[index] === 1);
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      this.#reportOutOfMemory();
      return [];
    }
  }

  #putArguments(entry: CacheEntry): readonly Argument[] {
    const { key, id, accountId, question, storedAtMs, expiresAtMs } = entry;
    const { head, body } = this.#codec.close(entry);
    const bytes = CACHED_ENTRY_BYTES + head.byteLength + body.byteLength;
    const partition = question === null ? NO_TAG : this.#tag('partition', question.partition);
    const times = [Math.floor(storedAtMs), Math.floor(Math.min(expiresAtMs, MOST_MS))];
    return [key, this.accountTag(accountId), partition, ...times, id, bytes, argument(head), argument(body)];
  }

  async #clearPart(part: number, tag: string): Promise<number> {
    let count = 0;
    for (let step = 0; step < MOST_STEPS; step++) {
      const answer = await this.#ask(CLEAR_ENTRIES, part, [tag, step === 0 ? 1 : 0]);
      const [removed = 0, more = 0] = Array.isArray(answer) ? answer.map(Number) : [];
      count += removed;
      if (more === 0) break;
    }
    return count;
  }

  async #listPart(part: number, { limit, before, accountId }: CachePage): Promise<readonly EntryHead[]> {
    const tag = accountId === null ? '' : this.accountTag(accountId);
    const heads: EntryHead[] = [];
    let [at, id] = [String(before?.storedAtMs ?? ''), before?.id ?? ''];
    for (let step = 0; step < MOST_STEPS && heads.length < limit; step++) {
      const [found, lastAt, lastId] = await this.#askForBytes(LIST_ENTRIES, part, [limit - heads.length, at, id, tag]);
      heads.push(...this.#heads(Array.isArray(found) ? found : []));
      if (!Buffer.isBuffer(lastAt)) break;
      [at, id] = [String(lastAt), String(lastId)];
    }
    return heads;
  }

  /** Parses a response that alternates fields and heads. */
  #heads(answer: readonly unknown[]): EntryHead[] {
    const nowMs = this.#options.nowMs();
    return answer.flatMap((head, index) => {
      const key = answer[index - 1];
      if (index % 2 === 0 || !Buffer.isBuffer(head)) return [];
      const opened = this.#codec.openHead(String(key), head);
      return opened !== null && opened.expiresAtMs > nowMs ? [opened] : [];
    });
  }

  #opened(key: string, head: unknown, body: unknown) {
    if (!Buffer.isBuffer(head) || !Buffer.isBuffer(body)) return { entry: null, isUnreadable: false };
    const closed: ClosedEntry = { head, body };
    const entry = this.#codec.open(key, closed);
    const isCurrent = entry !== null && entry.expiresAtMs > this.#options.nowMs();
    return { entry: isCurrent ? entry : null, isUnreadable: entry === null };
  }

  #drop(part: number, keys: readonly string[]): void {
    if (keys.length > 0) void this.#ask(DROP_ENTRIES, part, keys).catch(() => {});
  }

  #service(id: string, accountId: string): string {
    return `${id} ${this.accountTag(accountId)}`;
  }

  #tag(kind: 'account' | 'partition', name: string): string {
    const digest = createHmac('sha256', this.#tagKey)
      .update(JSON.stringify([kind, name]))
      .digest('base64url');
    return digest.slice(0, TAG_CHARACTERS);
  }

  #all<Result>(each: (part: number) => Result): Result[] {
    return Array.from({ length: PARTS }, (_, part) => each(part));
  }

  async #ask(script: Script, part: number, args: readonly Argument[]): Promise<unknown> {
    try {
      const all = [...this.#common(), ...args];
      return await this.#redis.ask((client) => run(client, script, keysOf(part), all), WRITE_TIMEOUT_MS);
    } catch (error) {
      if (!isOutOfMemory(error)) this.#redis.failed(error);
      throw error;
    }
  }

  async #askForBytes(script: Script, part: number, args: readonly Argument[]): Promise<readonly unknown[]> {
    try {
      const all = [...this.#common(), ...args];
      const answer = await this.#redis.ask((client) => runForBytes(client, script, keysOf(part), all));
      if (!Array.isArray(answer)) throw new Error('unexpected response');
      return answer;
    } catch (error) {
      this.#redis.failed(error);
      throw error;
    }
  }

  #common(): readonly Argument[] {
    return [CACHE_CHANNEL, this.node, Math.floor(this.#options.nowMs())];
  }

  #reportOutOfMemory(): void {
    const nowMs = performance.now();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + TOLD_AGAIN_MS;
    this.#options.logger.warn({}, 'Redis is out of memory: new cache entries are not shared with other gateways');
  }
}

function partOf(key: string): number {
  return Bun.hash.crc32(key) % PARTS;
}

function keysOf(part: number): readonly string[] {
  return CACHE_KEYS.map((name) => `switchyard:cache:{${part}}:${name}`);
}

function argument(bytes: Uint8Array): Buffer {
  return bytesArgument(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.includes('OOM command not allowed');
}
