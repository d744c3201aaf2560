import type { BooksPicture, BooksQuery } from '../../engine/ports/books.ts';
import type { EntryKind } from '../../engine/ports/ledger.ts';
import { type SumDialect, type SumRow, type SumStatement, sumStatement, sumsOf } from './usage-statements.ts';

/** Of either database, whose integers come back in different ways. */
interface HeadRow {
  readonly balance: bigint | string | number | null;
  readonly first: bigint | string | number | null;
}

interface EntryRow {
  readonly place: bigint | string | number;
  readonly kind: EntryKind;
  readonly amount: bigint | string | number;
}

/** The statements of a picture, to be read in one snapshot. */
export function booksStatements({ accountId, spans, usage }: BooksQuery, dialect: SumDialect): readonly SumStatement[] {
  const mark = (place: number) => `${dialect.mark}${place}`;
  const head = `
    SELECT (SELECT balance_nano FROM balances WHERE account_id = ${mark(1)}) AS balance,
      (SELECT at_ms FROM ledger_entries WHERE account_id = ${mark(1)} ORDER BY at_ms LIMIT 1) AS first
  `;
  // In the words of the index that holds these entries alone.
  const entries = `
    SELECT segments.place, kind, ${dialect.integer('sum(amount_nano)')} AS amount
    FROM ${dialect.segments(mark(1))} AS segments CROSS JOIN ledger_entries
    WHERE account_id = ${mark(2)} AND kind <> 'charge' AND at_ms >= segments.from_ms AND at_ms < segments.to_ms
    GROUP BY segments.place, kind
  `;
  const places = JSON.stringify(spans.map(({ fromMs, toMs }, place) => [place, '', fromMs, toMs]));
  return [
    { sql: head, values: [accountId] },
    { sql: entries, values: [places, accountId] },
    ...usage.map((query) => sumStatement(query, dialect)),
  ];
}

/** What the rows of these statements say, in their order. */
export function pictureOf({ usage }: BooksQuery, rows: readonly (readonly unknown[])[]): BooksPicture {
  const [heads = [], entries = [], ...sums] = rows;
  const [head] = heads as readonly HeadRow[]; // As each of the statements says.
  return {
    balanceNanoUsd: BigInt(head?.balance ?? 0),
    firstEntryAtMs: head?.first == null ? null : Number(head.first),
    entries: (entries as readonly EntryRow[]).map(({ place, kind, amount }) => ({
      ...{ span: Number(place), kind, amountNanoUsd: BigInt(amount) },
    })),
    usage: usage.map((query, index) => sumsOf((sums[index] ?? []) as readonly SumRow[], query)),
  };
}
