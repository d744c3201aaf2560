import { type RedisClient, run } from './connection.ts';
import { keyOf } from './quota-call.ts';
import { ANNOUNCE } from './scripts.ts';

/** How often each gateway announces itself. */
export const ANNOUNCE_INTERVAL_MS = 2_000;
/** A gateway without an announcement for this long counts as gone. */
const LIVING_MS = 10_000;
/** How long counts are remembered, since a Redis that has lost its data only knows gateways that have announced themselves since. */
const REMEMBERED_MS = 60_000;
const KEY = keyOf('{gateways}');

interface Counted {
  readonly atMs: number;
  readonly count: number;
}

/** Counts the gateways that use the same Redis. */
export class KnownGateways {
  readonly #name: string;
  readonly #nowMs: () => number;
  /** Counts of the last minute in which Redis was available. */
  #counted: readonly Counted[];
  #isAnnounced = false;

  /** @param atStart the count to assume before Redis has responded */
  constructor(name: string, atStart: number, nowMs: () => number) {
    this.#name = name;
    this.#nowMs = nowMs;
    this.#counted = [{ atMs: nowMs(), count: atStart }];
  }

  /** The highest count in the minute before the last response of Redis. */
  get count(): number {
    return this.#counted.reduce((most, { count }) => Math.max(most, count), 1);
  }

  /** Announces this gateway. Resolves to whether Redis no longer knew it, and so has lost its data. */
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
