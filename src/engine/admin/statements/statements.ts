import type { AccountBooks, Books, BooksPicture } from '../../ports/books.ts';
import type { Clock } from '../../ports/clock.ts';
import { ENTRY_KINDS, type EntryKind, LONGEST_DISORDER_MS } from '../../ports/ledger.ts';
import type { Thinning } from '../../ports/retention-store.ts';
import type { NamedUsageQuery, UsageMeasures, UsageQuery, UsageSpan, UsageSum } from '../../ports/usage-store.ts';
import type { RetentionSettings } from '../../settings/retention-settings.ts';
import { cursorOf, limitOf, type Page, type PageRequest, placeAfter } from '../page.ts';
import { total, type UsageRow, usageRowOf } from '../usage/sum-usage.ts';
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
  /** Months are told apart for as long as there are sums that begin and end with them. */
  readonly retention: Pick<RetentionSettings, 'minuteSumsMs' | 'hourSumsMs'>;
  readonly thinning: () => Promise<Thinning>;
}

/** What a month has done to a balance: `opening + all amounts = closing`, to the nano-dollar. */
export interface Statement {
  readonly month: Month;
  /** Whether nothing can be added to it any more. */
  readonly isFinal: boolean;
  readonly openingNanoUsd: bigint;
  /** With their signs, as the ledger has them. */
  readonly amounts: Readonly<Record<EntryKind, bigint>>;
  readonly closingNanoUsd: bigint;
}

export interface MonthStatement extends Statement {
  readonly usage: UsageMeasures;
  readonly byModel: Ranked;
  readonly byKey: Ranked;
  /** Days without usage are missing. */
  readonly byDay: readonly UsageRow[];
}

/** Rows of a statement by model and by key; what is beyond it is summed up in one. */
export const MOST_STATEMENT_ROWS = 1_000;
/** The first day of a time that no clock of a gateway shows. */
const END_OF_TIME_MS = Date.UTC(9000, 0, 1);
const NO_AMOUNTS: Readonly<Record<EntryKind, bigint>> = { grant: 0n, charge: 0n, refund: 0n, adjustment: 0n };

interface Wanted {
  readonly accountId: string;
  readonly timeZone: string;
}

/** The statement of a month, with what its charges are for. Throws `AdminError`. */
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

/** The newest first, back to the month of the first entry. Throws `AdminError` for a wrong page. */
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

/** What a statement of the month is made from: the month, and all that came later. */
export function spansOf(month: Month): readonly UsageSpan[] {
  return [month, after(month)];
}

/** The statement of one month, from the spans of `spansOf`. */
export function statementFrom(month: Month, picture: AccountBooks, nowMs: number): Statement {
  const [statement] = chained([month], picture, picture.charges, nowMs);
  return statement ?? statementOf(month, NO_AMOUNTS, picture.balanceNanoUsd, nowMs);
}

/** Returns what there is of the sums that months begin and end with. */
export async function keptOf(
  { retention, thinning }: Pick<StatementPorts, 'retention' | 'thinning'>,
  nowMs: number,
): Promise<KeptSums> {
  return keptSums(retention, await thinning(), nowMs);
}

/** All that comes after it; the balance less this is what it has ended with. */
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
 * The months in their order: each ends with what the next one begins with. What the last one ends with is the balance less all that
 * came later, which is read in one span more: it is little for the months that people ask for.
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
