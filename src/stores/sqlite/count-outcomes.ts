import type { Database } from 'bun:sqlite';
import { OutcomeTally } from '../../domain/catalog/outcome-tally.ts';
import type { OutcomeCount } from '../../domain/catalog/preference.ts';
import { OUTCOME_OF_LINE } from '../shared/outcome-condition.ts';

/** Takes a few milliseconds, and few enough rows that sorting by model stays in the CPU caches. */
const SLICE_ROWS = 10_000;

/** The number of parts of the window that are searched for their first and last rows. */
const WINDOW_PARTS = 1_000;

/**
 * Reads the row range of a part of the window from the index alone. Lines are written when their requests end, so only roughly in order of
 * time. This is exact in any order, for a sixth of the work.
 */
const RANGE = `
  SELECT min(id) AS first, max(id) AS last FROM request_log INDEXED BY request_log_by_time
  WHERE at_ms >= ?1 AND at_ms < ?2
`;

/** Reads in table order; looking up each row by the index would take several times as long. */
const SLICE = `
  SELECT model_id, account_id, sum(outcome) AS succeeded, count(*) - sum(outcome) AS failed
  FROM (
    SELECT model_id, account_id, ${OUTCOME_OF_LINE} AS outcome FROM request_log NOT INDEXED
    WHERE id BETWEEN ?1 AND ?2 AND at_ms >= ?3 AND at_ms < ?4
  )
  WHERE outcome IS NOT NULL AND model_id IS NOT NULL
  GROUP BY model_id, account_id
`;

interface SliceRow {
  readonly model_id: string;
  readonly account_id: string | null;
  readonly succeeded: number;
  readonly failed: number;
}

/**
 * Counts outcomes in the request log from `fromMs` to `toMs` in slices, so that the caller can do other work in between. Each slice is its
 * own read, since a long transaction would prevent WAL checkpoints.
 */
export function* countOutcomes(database: Database, fromMs: number, toMs: number): Generator<void, OutcomeCount[]> {
  const tally = new OutcomeTally();
  const { first, last } = yield* rangeOfRows(database, fromMs, toMs);
  const slice = database.query<SliceRow, [number, number, number, number]>(SLICE);
  for (let id = first; id <= last; id += SLICE_ROWS) {
    yield;
    for (const row of slice.all(id, Math.min(last, id + SLICE_ROWS - 1), fromMs, toMs)) {
      tally.add(row.model_id, row.account_id, row.succeeded, row.failed);
    }
  }
  return tally.counts();
}

/** Returns the first and last row ids that enclose all lines of the window; `last` is smaller if there are none. */
function* rangeOfRows(
  database: Database,
  fromMs: number,
  toMs: number,
): Generator<void, { first: number; last: number }> {
  const range = database.query<{ first: number | null; last: number | null }, [number, number]>(RANGE);
  const boundary = (part: number) => (part === WINDOW_PARTS ? toMs : fromMs + ((toMs - fromMs) * part) / WINDOW_PARTS);
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let part = 0; part < WINDOW_PARTS; part++) {
    yield;
    const found = range.get(boundary(part), boundary(part + 1));
    first = Math.min(first, found?.first ?? first);
    last = Math.max(last, found?.last ?? last);
  }
  return { first, last };
}
