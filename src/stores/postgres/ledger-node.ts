import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { firstLine } from '../shared/store-open-error.ts';
import { query } from './connection.ts';
import { DatabaseAwayError } from './database-away-error.ts';

/**
 * The fraction of the lease time by which this node considers a lease expired before the database does, and the number of renewals per
 * lease time.
 */
const MARGIN = 1 / 5;
const RENEWALS = 3;
/** Empty lease rows are deleted in batches, when no statement about them can be in flight any more. */
const SWEPT_ROWS = 1_000;
const CLOSING_ATTEMPTS = 3;

const SWEEPS = [
  { table: 'leases', key: 'node_id, account_id, key_id' },
  { table: 'budget_leases', key: 'node_id, account_id, key_id, starts_at_ms, ends_at_ms' },
].map(
  ({ table, key }) => `
    delete from ${table} where (${key}) in (
      select ${key} from ${table}
        where node_id = $1 and amount_nano = 0
          and changed_at < clock_timestamp() - greatest($2 * interval '2 milliseconds', interval '1 minute')
        limit ${SWEPT_ROWS} for update skip locked
    )`,
);

export interface LedgerNodeOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** The gateway's name in the database and in its log. */
  readonly nodeId: string;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Called when this gateway has registered, and when another node is found to have exited without releasing its leases. */
  readonly onNodeChange?: () => void;
}

/**
 * Registers this gateway as a node, which holds its leases as long as it renews itself. When it stops for any reason, other nodes release
 * them after `leaseMs`. By its own clock it gives them up earlier and continues under a new node id, so that statements of the old node
 * find no lease.
 */
export class LedgerNode {
  readonly #options: LedgerNodeOptions;
  readonly #listeners: (() => void)[] = [];
  #id: string | null = null;
  /** The monotonic time after which this node's leases may have been released. */
  #heldUntilMs = 0;
  #losses = 0;
  #registration: Promise<string> | null = null;
  #beating: Promise<void> = Promise.resolve();
  #beatTimer: Timer;
  #lossTimer: Timer | null = null;
  #closed = false;

  constructor(options: LedgerNodeOptions) {
    this.#options = options;
    this.#beatTimer = this.#beatIn(this.#beatMs());
  }

  /** The current node id; `null` while this gateway holds nothing. */
  get id(): string | null {
    this.#checkTime();
    return this.#id;
  }

  /** The number of times this gateway has lost its leases. */
  get losses(): number {
    this.#checkTime();
    return this.#losses;
  }

  onLost(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves to the node id, after ensuring that the database knows it. */
  async register(): Promise<string> {
    if (this.#closed) throw new Error('The ledger is closed.');
    const id = this.id;
    if (id !== null) return id;
    this.#registration ??= this.#registerAnew().finally(() => {
      this.#registration = null;
    });
    return this.#registration;
  }

  /** Called when the database no longer has this gateway's node. */
  lose(id: string): void {
    if (this.#id !== id) return;
    this.#id = null;
    this.#losses += 1;
    if (this.#lossTimer !== null) clearTimeout(this.#lossTimer);
    this.#lossTimer = null;
    this.#options.logger.error({ nodeId: id }, 'this node could not renew its leases in time and lost them');
    for (const listener of this.#listeners) listener();
  }

  /** Releases the leases of expired nodes. */
  async endExpiredNodes(): Promise<void> {
    for (;;) {
      const { rows } = await query<{ ended: string | null; returned: string | null }>(
        this.#options.pool,
        'select ended, returned from ledger_end_expired_node_2()',
      );
      const ended = rows[0]?.ended ?? null;
      if (ended === null) return;
      const returned = rows[0]?.returned ?? null;
      const fields = { nodeId: ended, amountUsd: returned === null ? null : formatNanoUsd(BigInt(returned)) };
      this.#options.logger.warn(fields, 'a node stopped without releasing its leases; they have been released');
      this.#options.onNodeChange?.();
      if (ended === this.#id) this.lose(ended);
    }
  }

  /** Releases the remaining leases if the database is available; otherwise other nodes will. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#beatTimer);
    await this.#registration?.catch(() => {});
    await this.#beating;
    if (this.#lossTimer !== null) clearTimeout(this.#lossTimer);
    const id = this.#id;
    this.#id = null;
    if (id !== null) await this.#end(id);
  }

  async #registerAnew(): Promise<string> {
    const { pool, clock, nodeId, leaseMs } = this.#options;
    const id = `${nodeId}/${randomUUID()}`;
    const sentAtMs = clock.monotonicMs();
    await query(
      pool,
      "insert into nodes (node_id, expires_at) values ($1, clock_timestamp() + $2 * interval '1 millisecond')",
      [id, leaseMs],
    );
    this.#id = id;
    this.#renewedAt(sentAtMs);
    // If the response took too long, the node expired before it began.
    if (this.id === null) throw new DatabaseAwayError('The database responds too slowly for leases.');
    this.#options.onNodeChange?.();
    return id;
  }

  #beatMs(): number {
    return this.#options.leaseMs / RENEWALS;
  }

  #beatIn(milliseconds: number): Timer {
    const timer = setTimeout(() => {
      this.#beating = this.#beat();
    }, milliseconds);
    timer.unref();
    return timer;
  }

  async #beat(): Promise<void> {
    const { clock, logger } = this.#options;
    const startedAtMs = clock.monotonicMs();
    let everyMs = this.#beatMs();
    try {
      await this.#renew();
      await this.endExpiredNodes();
      await this.#deleteEmptyLeases();
    } catch (error) {
      logger.warn({ error: firstLine(error) }, 'the leases could not be renewed; retrying');
      everyMs /= 10;
    }
    if (this.#closed) return;
    this.#beatTimer = this.#beatIn(Math.max(everyMs - (clock.monotonicMs() - startedAtMs), this.#beatMs() / 10));
  }

  /** Whether the node has expired does not matter: while its row exists its leases were not released, and releasing them locks the row. */
  async #renew(): Promise<void> {
    const id = this.id;
    if (id === null) return;
    const { pool, clock, leaseMs } = this.#options;
    const sentAtMs = clock.monotonicMs();
    const renewal = query(
      pool,
      "update nodes set expires_at = clock_timestamp() + $2 * interval '1 millisecond' where node_id = $1",
      [id, leaseMs],
    );
    const { rowCount } = await withinMs(this.#beatMs() / 2, renewal);
    if (rowCount === 0) this.lose(id);
    else if (this.#id === id) this.#renewedAt(sentAtMs);
  }

  /** Counts from when the renewal was sent, since the database can only have executed it later. */
  #renewedAt(sentAtMs: number): void {
    this.#heldUntilMs = sentAtMs + this.#options.leaseMs * (1 - MARGIN);
    this.#watch();
  }

  #watch(): void {
    if (this.#lossTimer !== null) clearTimeout(this.#lossTimer);
    const leftMs = this.#heldUntilMs - this.#options.clock.monotonicMs();
    // A timer may fire slightly early.
    this.#lossTimer = setTimeout(
      () => {
        this.#checkTime();
        if (this.#id !== null && !this.#closed) this.#watch();
      },
      Math.max(leftMs, 1),
    );
    this.#lossTimer.unref();
  }

  #checkTime(): void {
    if (this.#id !== null && this.#options.clock.monotonicMs() >= this.#heldUntilMs) this.lose(this.#id);
  }

  async #deleteEmptyLeases(): Promise<void> {
    const { pool, leaseMs } = this.#options;
    const id = this.id;
    if (id === null) return;
    for (const sweep of SWEEPS) await query(pool, sweep, [id, leaseMs]);
  }

  async #end(id: string): Promise<void> {
    const { pool, logger } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        await query(pool, 'select ledger_end_node_2($1)', [id]);
        return;
      } catch (error) {
        if (attempt < CLOSING_ATTEMPTS) continue;
        const fields = { nodeId: id, error: firstLine(error) };
        logger.warn(fields, 'the leases could not be released at shutdown and will expire');
        return;
      }
    }
  }
}

/** Limits the wait for a renewal, so that there is time to try another connection. A renewal that completes late is simply not counted. */
async function withinMs<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The database did not respond within ${milliseconds} ms.`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
