import type { RememberedKind } from '../../engine/ports/conversation-state.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { RedisAccess } from './access.ts';
import { bytesArgument, type Patience, run, runForBytes } from './connection.ts';
import { SealedState } from './sealed-state.ts';
import { FIND, KEEP } from './state-scripts.ts';

export interface SharedPartsOptions {
  /** As in `REDIS_URL`. */
  readonly url: string;
  readonly masterSecret: string;
  /** Of Redis' memory, for all gateways together. */
  readonly maxBytes: number;
  readonly logger: Logger;
  readonly patience?: Patience | undefined;
}

type KindName = RememberedKind<unknown>['name'];

/** Longer than this no request waits for what others may remember: most are answered as well without it. */
const ANSWER_TIMEOUT_MS = 75;
/** For what no request waits for. */
const WRITE_TIMEOUT_MS = 1_000;
const MAX_WAITING = 10_000;
/** How often the log says that there is no memory left. */
const TOLD_AGAIN_MS = 600_000;

/** On a cluster each part lies on one node; the digits are hash tags of four slots far from each other. */
export const PARTS = 4;
/** Of an account's bytes in its part, like in the memory of one gateway. */
const ACCOUNT_SHARE = 0.5;
/** Reasoning state is far larger than the names of channels. */
const SHARES: Readonly<Record<KindName, number>> = { states: 2 / 3, origins: 1 / 6, conversations: 1 / 6 };
const PROBED: Kind = { name: 'conversations', keptMs: 3_600_000 };

/** A larger value is for the gateway that saw it alone. */
const MAX_VALUE_BYTES = 512 * 1024;
/** Of one read, so that no other account's commands wait long behind it. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

type Kind = Pick<RememberedKind<unknown>, 'name' | 'keptMs'>;

/** Where a key of an account lies. */
export interface Place {
  readonly accountId: string;
  readonly part: number;
  readonly field: string;
}

/** The value at a place, or why there is none: it was never written, or cannot be read now. */
export type Found = { readonly text: string } | 'collided' | 'absent' | 'unknown';

/** Reads and writes what is remembered, in parts (`state-scripts.ts`), sealed. */
export class SharedParts {
  readonly #redis: RedisAccess;
  readonly #sealed: SealedState;
  readonly #maxBytes: number;
  readonly #logger: Logger;
  #hasToldOfDamage = false;
  #quietUntilMs = 0;

  constructor({ url, masterSecret, maxBytes, logger, patience }: SharedPartsOptions) {
    this.#sealed = new SealedState(masterSecret);
    this.#maxBytes = maxBytes;
    this.#logger = logger;
    this.#redis = new RedisAccess({
      url,
      logger,
      patience,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxWaiting: MAX_WAITING,
      words: {
        began: 'conversation state cannot be shared by Redis: until it can, each gateway knows what it has seen itself',
        ended: 'conversation state is shared by Redis again',
      },
      probe: () => this.#probe(),
      onOutageEnd: () => {},
    });
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

  placesOf({ name }: Kind, accountId: string, keys: readonly string[]): readonly Place[] {
    const tag = this.#sealed.tagOf(accountId);
    const part = tag.charCodeAt(0) % PARTS;
    return keys.map((key) => ({ accountId, part, field: this.#sealed.fieldOf(tag, name, accountId, key) }));
  }

  /** What is at the places, which are of one account, in their order. Never rejects. */
  async find(kind: Kind, places: readonly Place[]): Promise<readonly Found[]> {
    const keys = keysOf(kind.name, places[0]?.part ?? 0).slice(0, 2);
    const args = [kind.keptMs, MAX_READ_BYTES, ...places.map(({ field }) => field)];
    try {
      const answer = await this.#redis.ask((client) => runForBytes(client, FIND, keys, args));
      if (!Array.isArray(answer) || answer.length !== places.length) throw new Error('an answer of another shape');
      return places.map((place, index) => this.#opened(kind.name, place, answer[index]));
    } catch (error) {
      this.#redis.failed(error);
      return places.map(() => 'unknown');
    }
  }

  /** `null` where it is too large to be shared. */
  seal({ name }: Kind, { accountId, field }: Place, text: string): Buffer | null {
    const value = this.#sealed.seal(text, name, accountId, field);
    return value.length > MAX_VALUE_BYTES ? null : bytesArgument(value);
  }

  /**
   * Writes sealed values by their fields. Gives the fields under which another value was, where `collides`: both are lost then.
   * Never rejects.
   */
  async keep(
    kind: Kind,
    part: number,
    values: ReadonlyMap<string, Buffer>,
    collides: boolean,
  ): Promise<readonly string[]> {
    try {
      const args = [...this.#bounds(kind), collides ? 1 : 0, ...[...values].flat()];
      const collided = await this.#kept(keysOf(kind.name, part), args);
      return Array.isArray(collided) ? collided.map(String) : [];
    } catch (error) {
      this.#redis.failed(error);
      return [];
    }
  }

  /** A server without free memory can still be read, and its values stay useful. */
  async #kept(keys: readonly string[], args: readonly (string | number | Buffer)[]): Promise<unknown> {
    try {
      return await this.#redis.ask((client) => run(client, KEEP, keys, args), WRITE_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('OOM command not allowed')) throw error;
      const nowMs = performance.now();
      if (nowMs < this.#quietUntilMs) return [];
      this.#quietUntilMs = nowMs + TOLD_AGAIN_MS;
      this.#logger.warn({}, 'Redis has no memory left for conversation state: other gateways do not learn what is new');
      return [];
    }
  }

  #bounds({ name, keptMs }: Kind): readonly number[] {
    const bytes = Math.floor((this.#maxBytes * SHARES[name]) / PARTS);
    return [keptMs, bytes, Math.floor(bytes * ACCOUNT_SHARE)];
  }

  /** A sealed value is bytes, a field without one is nil, and a number stands for one that found no room in the answer. */
  #opened(kind: KindName, { accountId, field }: Place, value: unknown): Found {
    if (value === null) return 'absent';
    if (!Buffer.isBuffer(value)) return 'unknown';
    if (value.length === 0) return 'collided';
    const text = this.#sealed.open(value, kind, accountId, field);
    if (text !== null) return { text };
    if (!this.#hasToldOfDamage) {
      this.#logger.warn(
        { kind },
        'conversation state in Redis is damaged, or was put there by somebody else: it is not used',
      );
    }
    this.#hasToldOfDamage = true;
    return 'unknown';
  }

  /** Writes into every part, as the requests do. */
  async #probe(): Promise<void> {
    const [place] = this.placesOf(PROBED, '', ['probe']);
    const args = [...this.#bounds(PROBED), 0, place?.field ?? '', 'probe'];
    const parts = Array.from({ length: PARTS }, (_, part) => keysOf(PROBED.name, part));
    await Promise.all(parts.map((keys) => this.#kept(keys, args)));
  }
}

function keysOf(kind: KindName, part: number): readonly string[] {
  return ['values', 'order', 'accounts', 'sizes'].map((name) => `switchyard:state:{${part}}:${kind}:${name}`);
}
