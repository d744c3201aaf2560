import { type RedisClient, run } from './connection.ts';
import { keyOf } from './quota-call.ts';
import { ANNOUNCE } from './scripts.ts';

/** How often each announces itself. */
export const ANNOUNCE_INTERVAL_MS = 2_000;
/** One that has not announced itself for so long is gone. */
const LIVING_MS = 10_000;
/** A Redis that has lost its data knows only those that have announced themselves since. */
const REMEMBERED_MS = 60_000;
const KEY = keyOf('{gateways}');

interface Counted {
  readonly atMs: number;
  readonly count: number;
}

/** How many gateways count in the same Redis. */
export class KnownGateways {
  readonly #name: string;
  readonly #nowMs: () => number;
  /** Of the last minute in which Redis could be asked. */
  #counted: readonly Counted[];
  #isAnnounced = false;

  /** @param atStart how many there are before Redis has said anything */
  constructor(name: string, atStart: number, nowMs: () => number) {
    this.#name = name;
    this.#nowMs = nowMs;
    this.#counted = [{ atMs: nowMs(), count: atStart }];
  }

  /** The most that were known in the minute before Redis was asked last. */
  get count(): number {
    return this.#counted.reduce((most, { count }) => Math.max(most, count), 1);
  }

  /** Resolves to whether Redis has forgotten this gateway since the last time, and so has lost its data. */
  async announce(client: RedisClient): Promise<boolean> {
    const answer = await run(client, ANNOUNCE, [KEY], [LIVING_MS, this.#name]);
    const [count = 1, wasKnown = 0] = Array.isArray(answer) ? answer.map(Number) : [];
    const isForgotten = this.#isAnnounced && wasKnown === 0;
    this.#isAnnounced = true;
    const atMs = this.#nowMs();
    this.#counted = [...this.#counted.filter((one) => atMs - one.atMs < REMEMBERED_MS), { atMs, count }];
    return isForgotten;
  }

  async leave(client: RedisClient): Promise<void> {
    await client.zrem(KEY, this.#name);
  }
}
