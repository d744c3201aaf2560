import type { RolledUp } from '../../engine/ports/usage-store.ts';
import { LATENCY_COLUMNS, MEASURE_COLUMNS } from '../shared/tables/usage.ts';
import { rollStatement } from '../sql/usage/sum-statements.ts';
import type { WritingConnection } from './writing-connection.ts';

/** The number of the oldest rows that are processed together; rows with the same key are moved at once. */
const WINDOW_ROWS = 2_000;
/** Charges wait for a batch, which takes 1.5 ms with this many keys; per key, larger ones cost the same. */
const MOST_KEYS = 40;
const WINDOW = 'SELECT max(id) AS last, count(*) AS found FROM (SELECT id FROM usage_deltas ORDER BY id LIMIT ?)';

const MINUTE = 'at_ms - at_ms % 60000';
const PLACE = ['account_id', 'key_id', 'model_id', 'channel_id', 'status', 'tag'] as const;
const IN_ORDER = [...PLACE, 'minute_ms'].join(', ');
/** Parameters: the last row, the number of keys per batch. Returns the last key of each batch but the last. */
const ENDS = `
  SELECT ${IN_ORDER} FROM (
    SELECT ${IN_ORDER}, row_number() OVER (ORDER BY ${IN_ORDER}) AS number
    FROM (SELECT DISTINCT ${PLACE.join(', ')}, ${MINUTE} AS minute_ms FROM usage_deltas WHERE id <= ?1)
  ) WHERE number % ?2 = 0 ORDER BY number
`;

/** Parameters: the last row, the key after which the batch begins or NULLs, the key at which it ends or NULLs. */
const MARKS = (from: number) => Array.from({ length: PLACE.length + 1 }, (_, index) => `?${from + index}`).join(', ');
const BATCH = `
  id <= ?1 AND (?2 IS NULL OR (${PLACE.join(', ')}, ${MINUTE}) > (${MARKS(2)}))
  AND (?9 IS NULL OR (${PLACE.join(', ')}, ${MINUTE}) <= (${MARKS(9)}))
`;
const ADDED_UP = [...MEASURE_COLUMNS, ...LATENCY_COLUMNS].map((column) => `sum(${column}) AS ${column}`).join(', ');
const ROLL = rollStatement(
  `(SELECT ${MINUTE} AS at_ms, ${PLACE.join(', ')}, ${ADDED_UP}, max(latency_ms_max) AS latency_ms_max
    FROM usage_deltas WHERE ${BATCH} GROUP BY 1, ${PLACE.join(', ')})`,
  'true',
);
const REMOVE = `DELETE FROM usage_deltas WHERE ${BATCH}`;

type Place = readonly (string | bigint)[];
const ANYWHERE = [null, null, null, null, null, null, null] as const;

/** A batch: rows up to `last` with keys between two others. */
interface Batch {
  readonly last: bigint;
  readonly after: Place | typeof ANYWHERE;
  readonly upTo: Place | typeof ANYWHERE;
}

/** Rolls up the deltas of charges and log lines, in the writer thread. Work lost in a crash is repeated. */
export class UsageRoller {
  readonly #connection: WritingConnection;
  #planned: Batch[] = [];
  /** Whether there are rows beyond the planned batches. */
  #isMore = false;

  constructor(connection: WritingConnection) {
    this.#connection = connection;
  }

  /** See `UsageStore.roll`. */
  async roll(limit: number): Promise<RolledUp> {
    if (this.#planned.length === 0) {
      this.#plan(Math.min(limit, MOST_KEYS));
      // Each batch occupies this thread for a millisecond or two.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const batch = this.#planned.shift();
    if (batch === undefined) return { moved: 0, isMore: false };
    const { database } = this.#connection;
    const values = [batch.last, ...batch.after, ...batch.upTo];
    const moved = await this.#connection.runWhenFree('NORMAL', () => {
      database.query(ROLL).run(...values);
      return database.query(REMOVE).run(...values).changes;
    });
    return { moved, isMore: this.#planned.length > 0 || this.#isMore };
  }

  /** Needs no lock, since a batch selects its rows when it runs. */
  #plan(limit: number): void {
    const { database } = this.#connection;
    const window = database.query<{ last: bigint | null; found: bigint }, [number]>(WINDOW).get(WINDOW_ROWS);
    const { last = null, found = 0n } = window ?? {};
    this.#isMore = found >= WINDOW_ROWS;
    if (last === null) return;
    const ends = database.query(ENDS).values(last, limit) as Place[]; // In column order.
    const bounds = [ANYWHERE, ...ends, ANYWHERE];
    this.#planned = bounds.slice(1).map((upTo, index) => ({ last, after: bounds[index] ?? ANYWHERE, upTo }));
  }
}
