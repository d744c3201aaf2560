import type { RememberedKind } from '../../engine/ports/conversation-state.ts';
import type { RedisFigures } from '../../engine/ports/figures.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { RedisAccess } from './access.ts';
import { bytesArgument, type Patience, run, runForBytes } from './connection.ts';
import { SealedState } from './sealed-state.ts';
import { FIND, KEEP } from './state-scripts.ts';

export interface SharedPartsOptions {
  /** An address as in `REDIS_URL`. */
  readonly url: string;
  readonly masterSecret: string;
  /** The limit on Redis's memory for all gateways together. */
  readonly maxBytes: number;
  readonly logger: Logger;
  readonly patience?: Patience | undefined;
}

type KindName = RememberedKind<unknown>['name'];

/** The longest time that a request waits for other gateways' state, which most requests do not need. */
const ANSWER_TIMEOUT_MS = 75;
/** For commands that no request waits for. */
const WRITE_TIMEOUT_MS = 1_000;
const MAX_WAITING = 10_000;
/** How often lack of memory is logged. */
const TOLD_AGAIN_MS = 600_000;

/** On a cluster each part is on one node; the digits are hash tags of four distant slots. */
export const PARTS = 4;
/** The largest share of a part per account, as in a gateway's memory. */
const ACCOUNT_SHARE = 0.5;
/** Reasoning state is far larger than the names of channels. */
const SHARES: Readonly<Record<KindName, number>> = {
  states: 2 / 3,
  origins: 1 / 6,
  conversations: 1 / 12,
  sessions: 1 / 12,
};
const PROBED: Kind = { name: 'conversations', keptMs: 3_600_000 };

/** Larger values are not shared. */
const MAX_VALUE_BYTES = 512 * 1024;
/** The size of one read, limited so that other accounts' commands do not wait long behind it. */
const MAX_READ_BYTES = 4 * 1024 * 1024;

type Kind = Pick<RememberedKind<unknown>, 'name' | 'keptMs'>;

/** The location of an account's key. */
export interface Place {
  readonly accountId: string;
  readonly part: number;
  readonly field: string;
}

/** The value at a place, or why there is none: it was never written, or cannot be read now. */
export type Found = { readonly text: string } | 'collided' | 'absent' | 'unknown';

/** Reads and writes sealed state in parts (`state-scripts.ts`). */
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
      use: 'conversation_state',
      url,
      logger,
      patience,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      maxWaiting: MAX_WAITING,
      words: {
        began: 'conversation state cannot be shared over Redis; each gateway uses only its own for now',
        ended: 'conversation state is shared over Redis again',
      },
      probe: () => this.#probe(),
      onOutageEnd: () => {},
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

  placesOf({ name }: Kind, accountId: string, keys: readonly string[]): readonly Place[] {
    const tag = this.#sealed.tagOf(accountId);
    const part = tag.charCodeAt(0) % PARTS;
    return keys.map((key) => ({ accountId, part, field: this.#sealed.fieldOf(tag, name, accountId, key) }));
  }

  /** Reads places of one account, in order. Never rejects. */
  async find(kind: Kind, places: readonly Place[]): Promise<readonly Found[]> {
    const keys = keysOf(kind.name, places[0]?.part ?? 0).slice(0, 2);
    const args = [kind.keptMs, MAX_READ_BYTES, ...places.map(({ field }) => field)];
    try {
      const answer = await this.#redis.ask((client) => runForBytes(client, FIND, keys, args));
      if (!Array.isArray(answer) || answer.length !== places.length) throw new Error('unexpected response');
      return places.map((place, index) => this.#opened(kind.name, place, answer[index]));
    } catch (error) {
      this.#redis.failed(error);
      return places.map(() => 'unknown');
    }
  }

  /** Returns `null` if the value is too large to be shared. */
  seal({ name }: Kind, { accountId, field }: Place, text: string): Buffer | null {
    const value = this.#sealed.seal(text, name, accountId, field);
    return value.length > MAX_VALUE_BYTES ? null : bytesArgument(value);
  }

  /**
   * Writes sealed values by field. If `collides`, resolves to the fields that had a different value; both values are then lost. Never
   * rejects.
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
      this.#logger.warn({}, 'Redis is out of memory: new conversation state is not shared with other gateways');
      return [];
    }
  }

  #bounds({ name, keptMs }: Kind): readonly number[] {
    const bytes = Math.floor((this.#maxBytes * SHARES[name]) / PARTS);
    return [keptMs, bytes, Math.floor(bytes * ACCOUNT_SHARE)];
  }

  /** Parses a value: bytes are a sealed value, nil is a missing one, and a number means that it did not fit in the response. */
  #opened(kind: KindName, { accountId, field }: Place, value: unknown): Found {
    if (value === null) return 'absent';
    if (!Buffer.isBuffer(value)) return 'unknown';
    if (value.length === 0) return 'collided';
    const text = this.#sealed.open(value, kind, accountId, field);
    if (text !== null) return { text };
    if (!this.#hasToldOfDamage) {
      this.#logger.warn({ what: kind }, 'conversation state in Redis is damaged or foreign and is ignored');
    }
    this.#hasToldOfDamage = true;
    return 'unknown';
  }

  /** Writes into every part, like requests do. */
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
