import type { AccountBooks, Books, BooksPicture } from '../../ports/books.ts';
import type { Clock } from '../../ports/clock.ts';
import { ENTRY_KINDS, type EntryKind, LONGEST_DISORDER_MS } from '../../ports/ledger.ts';
import type { Thinning } from '../../ports/retention-store.ts';
import type { NamedUsageQuery, UsageMeasures, UsageQuery, UsageSpan, UsageSum } from '../../ports/usage-store.ts';
import type { RetentionSettings } from '../../settings/retention-settings.ts';
import { cursorOf, limitOf, type Page, type PageRequest, placeAfter } from '../page.ts';
import { total, type UsageRow, usageRowOf } from '../usage/read-usage.ts';
import { type Ranked, ranked } from '../usage/usage-overview.ts';
import {
  isKept,
  type KeptSums,
  keptSums,
  refuseForgotten,
  refuseUnknownZone,
  usageSpans,
} from '../usage/usage-spans.ts';
import { type Month, monthAt, monthBefore, monthNamed } from './month.ts';

export interface StatementPorts {
  readonly books: Books;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A month has a statement while sums are kept that begin and end with it. */
  readonly retention: Pick<RetentionSettings, 'minuteSumsMs' | 'hourSumsMs'>;
  readonly thinning: () => Promise<Thinning>;
}

/** The effect of a month on a balance: `opening + all amounts = closing`, exact to the nano-dollar. */
export interface Statement {
  readonly month: Month;
  /** Whether no entry can be added to it any more. */
  readonly isFinal: boolean;
  readonly openingNanoUsd: bigint;
  /** The amounts with their signs, as in the ledger. */
  readonly amounts: Readonly<Record<EntryKind, bigint>>;
  readonly closingNanoUsd: bigint;
}

export interface MonthStatement extends Statement {
  readonly usage: UsageMeasures;
  readonly byModel: Ranked;
  readonly byKey: Ranked;
  /** The usage of each day; days without usage are absent. */
  readonly byDay: readonly UsageRow[];
}

/** The number of rows of a statement by model and by key; the others are summed up in one. */
export const MOST_STATEMENT_ROWS = 1_000;
/** The first day of a time that no gateway's clock shows. */
const END_OF_TIME_MS = Date.UTC(9000, 0, 1);
const NO_AMOUNTS: Readonly<Record<EntryKind, bigint>> = { grant: 0n, charge: 0n, refund: 0n, adjustment: 0n };

interface Wanted {
  readonly accountId: string;
  readonly timeZone: string;
}

/** Resolves to the statement of a month, with what its charges are for. Throws `AdminError`. */
export async function readStatement(
  { books, clock, ...sums }: StatementPorts,
  { accountId, timeZone, month: name }: Wanted & { readonly month: string },
): Promise<MonthStatement> {
  refuseUnknownZone(timeZone);
  const nowMs = clock.nowMs();
  const month = monthNamed(name, timeZone, nowMs);
  const spans = spansOf(month);
  const days = usageSpans({ ...month, bucket: 'day', timeZone });
  refuseForgotten(days, await keptOf(sums, nowMs), 'time_zone');
  const dearest = { spans: [month], dearestFirst: true, limit: MOST_STATEMENT_ROWS };
  const picture = await books.picture({
    accountId,
    spans,
    usage: [
      sumsOf(accountId, { spans }),
      sumsOf(accountId, { ...dearest, groupBy: ['modelId'] }),
      sumsOf(accountId, { ...dearest, groupBy: ['keyId'] }),
      sumsOf(accountId, { spans: days }),
    ],
  });
  const [totals = [], models = [], keys = [], ofDays = []] = picture.usage;
  const usage = total(totals.filter(({ span }) => span === 0));
  return {
    ...statementFrom(month, { ...picture, charges: totals }, nowMs),
    usage,
    byModel: ranked(models, usage, spans, MOST_STATEMENT_ROWS),
    byKey: ranked(keys, usage, spans, MOST_STATEMENT_ROWS),
    byDay: ofDays.map((sum) => usageRowOf(sum, days)),
  };
}

/** Resolves to a page of the statements, newest first, back to the month of the first entry. Throws `AdminError` for an invalid page. */
export async function listStatements(
  { books, clock, ...sums }: StatementPorts,
  { accountId, timeZone, ...request }: Wanted & PageRequest,
): Promise<Page<Statement>> {
  refuseUnknownZone(timeZone);
  const limit = limitOf(request);
  const nowMs = clock.nowMs();
  const [before] = placeAfter(request, 1) ?? [];
  const newest =
    before === undefined ? monthAt(nowMs, timeZone) : monthBefore(monthNamed(before, timeZone, nowMs), timeZone);
  const kept = await keptOf(sums, nowMs);
  refuseForgotten([newest], kept, 'time_zone');
  const months = [newest];
  let isLast = false;
  for (let oldest = newest; months.length < limit && oldest.fromMs > 0; months.push(oldest)) {
    oldest = monthBefore(oldest, timeZone);
    isLast = !isKept([oldest], kept);
    if (isLast) break;
  }
  const inOrder = months.toReversed();
  const spans = [...inOrder, after(newest)];
  const picture = await books.picture({ accountId, spans, usage: [sumsOf(accountId, { spans })] });
  const { firstEntryAtMs } = picture;
  const items = chained(inOrder, picture, picture.usage[0] ?? [], nowMs)
    .filter(({ month }) => firstEntryAtMs !== null && month.toMs > firstEntryAtMs)
    .toReversed();
  const last = items.at(-1);
  const isMore = !isLast && last !== undefined && firstEntryAtMs !== null && firstEntryAtMs < last.month.fromMs;
  const cursorAfter = (index: number) => cursorOf([(items[index] as Statement).month.name]);
  return { items, cursorAfter, next: isMore ? cursorAfter(items.length - 1) : null };
}

/** Returns the spans from which a statement of the month is made: the month, and all later time. */
export function spansOf(month: Month): readonly UsageSpan[] {
  return [month, after(month)];
}

/** Returns the statement of one month from the spans of `spansOf`. */
export function statementFrom(month: Month, picture: AccountBooks, nowMs: number): Statement {
  const [statement] = chained([month], picture, picture.charges, nowMs);
  return statement ?? statementOf(month, NO_AMOUNTS, picture.balanceNanoUsd, nowMs);
}

/** Resolves to which sums that months begin and end with are still kept. */
export async function keptOf(
  { retention, thinning }: Pick<StatementPorts, 'retention' | 'thinning'>,
  nowMs: number,
): Promise<KeptSums> {
  return keptSums(retention, await thinning(), nowMs);
}

/** Returns all time after the month. Its closing balance is the current one without the changes of that time. */
function after({ toMs }: Month): UsageSpan {
  return { fromMs: toMs, toMs: END_OF_TIME_MS };
}

function sumsOf(
  accountId: string,
  of: Pick<UsageQuery, 'spans'> & Partial<Omit<UsageQuery, 'accountIds'>>,
): NamedUsageQuery {
  return { accountIds: [accountId], groupBy: [], tags: null, limit: of.spans.length, ...of };
}

/**
 * Returns the statements in the order of their months: each closes with the balance with which the next one opens. The last one closes with
 * the current balance without all later changes, which one more span reads; that span is short for the months that people usually ask for.
 */
function chained(
  months: readonly Month[],
  { balanceNanoUsd, entries }: Pick<BooksPicture, 'balanceNanoUsd' | 'entries'>,
  charges: readonly UsageSum[],
  nowMs: number,
): readonly Statement[] {
  const amounts = [...months, null].map((): Record<EntryKind, bigint> => ({ ...NO_AMOUNTS }));
  for (const { span, kind, amountNanoUsd } of entries) {
    const of = amounts[span];
    if (of !== undefined) of[kind] += amountNanoUsd;
  }
  for (const { span, costNanoUsd } of charges) {
    const of = amounts[span];
    if (of !== undefined) of.charge -= costNanoUsd;
  }
  let closing = balanceNanoUsd - sumOf(amounts[months.length] ?? NO_AMOUNTS);
  const statements: Statement[] = [];
  for (const [index, month] of [...months.entries()].toReversed()) {
    const statement = statementOf(month, amounts[index] ?? NO_AMOUNTS, closing, nowMs);
    statements.push(statement);
    closing = statement.openingNanoUsd;
  }
  return statements.toReversed();
}

function sumOf(amounts: Readonly<Record<EntryKind, bigint>>): bigint {
  return ENTRY_KINDS.reduce((sum, kind) => sum + amounts[kind], 0n);
}

function statementOf(month: Month, amounts: Statement['amounts'], closingNanoUsd: bigint, nowMs: number): Statement {
  const isFinal = nowMs >= month.toMs + LONGEST_DISORDER_MS;
  return { month, isFinal, openingNanoUsd: closingNanoUsd - sumOf(amounts), amounts, closingNanoUsd };
}
