import type { LedgerEntry } from '../../../engine/ports/ledger.ts';
import type { BalancedPage, BalancedQuery } from '../../../engine/ports/statement-store.ts';
import type { NamedUsageQuery, UsageSpan } from '../../../engine/ports/usage-store.ts';
import { ask, type SqlDialect, type SqlProgram } from '../program.ts';
import { figuresFrom, statementQueries } from '../usage/statement-queries.ts';
import { entryPage } from './read-programs.ts';

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const DAY_MS = 86_400_000;
/** The first day of a time that no gateway's clock shows. */
const END_OF_TIME_MS = Date.UTC(9000, 0, 1);

/**
 * Reads a page of entries, newest first, and the balance after the first one: the current balance without all later changes. Those until
 * the end of a usage sum are read from the ledger, and the others as sums, so that the balance of any time takes about as long.
 */
export function* balancedPage(dialect: SqlDialect, task: BalancedQuery): SqlProgram<BalancedPage> {
  const page = yield* entryPage(dialect, task.query, task.after, task.limit);
  const [first] = page.entries;
  const archivedBeforeMs = yield* archivedBefore();
  if (first === undefined || first.atMs < archivedBeforeMs) return { ...page, balanceNanoUsd: null, archivedBeforeMs };
  const endMs = endOfSum(first.atMs, task);
  const span = { fromMs: endMs, toMs: END_OF_TIME_MS };
  const { accountId } = task.query;
  const query = { accountId, spans: [span], usage: [chargesOf(accountId, span)] };
  const rows: (readonly unknown[])[] = [];
  for (const statement of statementQueries(query, dialect)) rows.push(yield statement);
  const { balanceNanoUsd, entries, usage } = figuresFrom(query, rows);
  const charged = (usage[0] ?? []).reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
  const added = entries.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n);
  const between = yield* sumBetween(dialect, first, endMs);
  return { ...page, balanceNanoUsd: balanceNanoUsd - added + charged - between, archivedBeforeMs };
}

function chargesOf(accountId: string, span: UsageSpan): NamedUsageQuery {
  return { accountIds: [accountId], spans: [span], groupBy: [], tags: null, limit: 1 };
}

/** Returns the end of the smallest usage sum that contains a moment. */
function endOfSum(atMs: number, { minutesFromMs, quartersFromMs }: BalancedQuery): number {
  const sizes = [
    { sizeMs: MINUTE_MS, fromMs: minutesFromMs },
    { sizeMs: QUARTER_MS, fromMs: quartersFromMs },
  ];
  const { sizeMs } = sizes.find(({ fromMs }) => atMs >= fromMs) ?? { sizeMs: DAY_MS };
  return (Math.floor(atMs / sizeMs) + 1) * sizeMs;
}

/** Returns the time before which charges may have been moved to an archive. */
function* archivedBefore(): SqlProgram<number> {
  const [row] = yield { sql: 'SELECT max(before_ms) AS before_ms FROM ledger_checkpoints', values: [] };
  return Number(row?.before_ms ?? 0);
}

/** Sums the entries after this one and before the end. */
function* sumBetween(
  dialect: SqlDialect,
  { accountId, atMs, sequence }: LedgerEntry,
  endMs: number,
): SqlProgram<bigint> {
  const [row] = yield* ask(dialect, (sql) => {
    const at = sql.put(atMs);
    return `
      SELECT ${dialect.integer('coalesce(sum(amount_nano), 0)')} AS amount FROM ledger_entries
      WHERE account_id = ${sql.put(accountId)} AND at_ms >= ${at} AND at_ms < ${sql.put(endMs)}
        AND (at_ms > ${at} OR sequence > ${sql.put(sequence)})
    `;
  });
  const amount = row?.amount as bigint | string | number | undefined; // Drivers return integers differently.
  return BigInt(amount ?? 0);
}
