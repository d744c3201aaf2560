import type { EntryKind } from '../../../engine/ports/ledger.ts';
import type {
  AccountFigures,
  AccountsQuery,
  EntrySum,
  StatementFigures,
  StatementQuery,
} from '../../../engine/ports/statement-store.ts';
import type { NamedUsageQuery } from '../../../engine/ports/usage-store.ts';
import type { SqlDialect, Statement } from '../program.ts';
import { ACCOUNT, accountRows, SEGMENT, type SumRow, sumStatement, sumsOf } from './sum-statements.ts';

/** A row of either database, which return integers differently. */
interface HeadRow {
  readonly balance: bigint | string | number | null;
  readonly first: bigint | string | number | null;
}

interface EntryRow {
  readonly place: bigint | string | number;
  readonly kind: EntryKind;
  readonly amount: bigint | string | number;
}

/** Returns the queries for the figures, which must run in one snapshot. */
export function statementQueries(
  { accountId, spans, usage }: StatementQuery,
  dialect: SqlDialect,
): readonly Statement[] {
  const mark = (place: number) => `${dialect.mark}${place}`;
  const head = `
    SELECT (SELECT balance_nano FROM balances WHERE account_id = ${mark(1)}) AS balance,
      (
        SELECT min(at_ms) FROM (
          SELECT at_ms FROM (SELECT at_ms FROM ledger_entries WHERE account_id = ${mark(1)} ORDER BY at_ms LIMIT 1) AS in_ledger
          UNION ALL SELECT first_at_ms FROM ledger_archived WHERE account_id = ${mark(1)}
        ) AS firsts
      ) AS first
  `;
  // Repeats the condition of the partial index on these entries.
  const entries = `
    SELECT segments.place, kind, ${dialect.integer('sum(amount_nano)')} AS amount
    FROM ${dialect.rowsOf(mark(1), 'segments', SEGMENT)} CROSS JOIN ledger_entries
    WHERE account_id = ${mark(2)} AND kind <> 'charge' AND at_ms >= segments.from_ms AND at_ms < segments.to_ms
    GROUP BY segments.place, kind
  `;
  return [
    { sql: head, values: [accountId] },
    { sql: entries, values: [placesOf(spans), accountId] },
    ...usage.map((query) => sumStatement(query, dialect)),
  ];
}

/** Like `statementQueries`, for several accounts. */
export function accountQueries({ accountIds, spans }: AccountsQuery, dialect: SqlDialect): readonly Statement[] {
  const mark = (place: number) => `${dialect.mark}${place}`;
  const ids = accountRows(accountIds);
  const accounts = (place: number) => dialect.rowsOf(mark(place), 'accounts', ACCOUNT);
  const balances = `SELECT account_id, balance_nano AS balance FROM ${accounts(1)} CROSS JOIN balances WHERE account_id = accounts.id`;
  const entries = `
    SELECT account_id, segments.place, kind, ${dialect.integer('sum(amount_nano)')} AS amount
    FROM ${dialect.rowsOf(mark(1), 'segments', SEGMENT)} CROSS JOIN ${accounts(2)} CROSS JOIN ledger_entries
    WHERE account_id = accounts.id AND kind <> 'charge' AND at_ms >= segments.from_ms AND at_ms < segments.to_ms
    GROUP BY account_id, segments.place, kind
  `;
  return [
    { sql: balances, values: [ids] },
    { sql: entries, values: [placesOf(spans), ids] },
    sumStatement(chargesOf({ accountIds, spans }), dialect),
  ];
}

function chargesOf({ accountIds, spans }: AccountsQuery): NamedUsageQuery {
  return { accountIds, spans, groupBy: ['accountId'], tags: null, limit: accountIds.length * spans.length };
}

/** Parses the rows of `accountQueries`, in order. */
export function accountsOf(
  query: AccountsQuery,
  rows: readonly (readonly unknown[])[],
): ReadonlyMap<string, AccountFigures> {
  const [balances = [], entries = [], sums = []] = rows as [
    readonly { readonly account_id: string; readonly balance: bigint | string | number }[],
    readonly (EntryRow & { readonly account_id: string })[],
    readonly SumRow[],
  ]; // The columns in the statements.
  const entriesOf = Map.groupBy(entries, ({ account_id }) => account_id);
  const charges = Map.groupBy(sumsOf(sums, chargesOf(query)), ({ accountId }) => accountId);
  const balanceOf = new Map(balances.map(({ account_id, balance }) => [account_id, BigInt(balance)]));
  return new Map(
    query.accountIds.map((id) => {
      const figures = {
        balanceNanoUsd: balanceOf.get(id) ?? 0n,
        entries: (entriesOf.get(id) ?? []).map(toEntrySum),
        charges: charges.get(id) ?? [],
      };
      return [id, figures];
    }),
  );
}

function placesOf(spans: StatementQuery['spans']): string {
  return JSON.stringify(spans.map(({ fromMs, toMs }, place) => ({ place, level: '', from_ms: fromMs, to_ms: toMs })));
}

function toEntrySum({ place, kind, amount }: EntryRow): EntrySum {
  return { span: Number(place), kind, amountNanoUsd: BigInt(amount) };
}

/** Parses the rows of `statementQueries`, in order. */
export function figuresFrom({ usage }: StatementQuery, rows: readonly (readonly unknown[])[]): StatementFigures {
  const [heads = [], entries = [], ...sums] = rows;
  const [head] = heads as readonly HeadRow[]; // The columns in the statements.
  return {
    balanceNanoUsd: BigInt(head?.balance ?? 0),
    firstEntryAtMs: head?.first == null ? null : Number(head.first),
    entries: (entries as readonly EntryRow[]).map(toEntrySum),
    usage: usage.map((query, index) => sumsOf((sums[index] ?? []) as readonly SumRow[], query)),
  };
}
