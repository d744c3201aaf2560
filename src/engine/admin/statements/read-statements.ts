import type { Account } from '../../../domain/access/account.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { ENTRY_KINDS, type EntryKind, LONGEST_DISORDER_MS } from '../../ports/ledger.ts';
import type { Thinning } from '../../ports/retention-store.ts';
import {
  type AccountFigures,
  NO_FIGURES,
  type StatementFigures,
  type StatementStore,
} from '../../ports/statement-store.ts';
import type { NamedUsageQuery, UsageMeasures, UsageQuery, UsageSpan, UsageSum } from '../../ports/usage-store.ts';
import type { RetentionSettings } from '../../settings/settings.ts';
import { AdminError } from '../admin-error.ts';
import { cursorOf, limitOf, type Page, type PageRequest, placeAfter } from '../page.ts';
import { keyIdView, modelIdView, type Ranked, ranked, rankedView, usageRowView } from '../usage/read-usage.ts';
import { measuresView, total } from '../usage/usage-measures.ts';
import { type UsageRow, usageRowOf } from '../usage/usage-query.ts';
import {
  isKept,
  type KeptSums,
  keptSums,
  monthSpan,
  refuseForgotten,
  refuseUnknownZone,
  usageSpans,
} from '../usage/usage-spans.ts';
import { isoTime } from '../view-fields.ts';

/** A calendar month of a time zone, on whole minutes. */
interface Month extends UsageSpan {
  /** A name such as `2026-11`. */
  readonly name: string;
}

const NAME = /^(\d{4})-(0[1-9]|1[0-2])$/;
/** In the middle of a month, it is the same month in every zone. */
const MIDDLE_MS = 14 * 86_400_000;

function monthAt(atMs: number, timeZone: string): Month {
  const span = monthSpan(atMs, timeZone);
  return { ...span, name: isoTime(span.fromMs + MIDDLE_MS).slice(0, 7) };
}

function monthBefore({ fromMs }: Month, timeZone: string): Month {
  return monthAt(fromMs - MIDDLE_MS, timeZone);
}

/** Returns the month with this name. Throws `AdminError` if there is no such month or it has not begun. */
function monthNamed(name: string, timeZone: string, nowMs: number): Month {
  const [, year, number] = NAME.exec(name) ?? [];
  if (year === undefined || Number(year) < 1970) {
    throw new AdminError('invalid_value', 'month', 'must be a month such as 2026-11');
  }
  const month = monthAt(Date.UTC(Number(year), Number(number) - 1, 15), timeZone);
  if (month.fromMs <= nowMs) return month;
  throw new AdminError('invalid_value', 'month', `must not be a future month: ${name} has not begun`);
}

export interface StatementPorts {
  readonly statements: StatementStore;
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

interface MonthStatement extends Statement {
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
  { statements, clock, ...sums }: StatementPorts,
  { accountId, timeZone, month: name }: Wanted & { readonly month: string },
): Promise<MonthStatement> {
  refuseUnknownZone(timeZone);
  const nowMs = clock.nowMs();
  const month = monthNamed(name, timeZone, nowMs);
  const spans = spansOf(month);
  const days = usageSpans({ ...month, bucket: 'day', timeZone });
  refuseForgotten(days, await keptOf(sums, nowMs), 'time_zone');
  const dearest = { spans: [month], dearestFirst: true, limit: MOST_STATEMENT_ROWS };
  const figures = await statements.figures({
    accountId,
    spans,
    usage: [
      sumsOf(accountId, { spans }),
      sumsOf(accountId, { ...dearest, groupBy: ['modelId'] }),
      sumsOf(accountId, { ...dearest, groupBy: ['keyId'] }),
      sumsOf(accountId, { spans: days }),
    ],
  });
  const [totals = [], models = [], keys = [], ofDays = []] = figures.usage;
  const usage = total(totals.filter(({ span }) => span === 0));
  return {
    ...statementFrom(month, { ...figures, charges: totals }, nowMs),
    usage,
    byModel: ranked(models, usage, spans, MOST_STATEMENT_ROWS),
    byKey: ranked(keys, usage, spans, MOST_STATEMENT_ROWS),
    byDay: ofDays.map((sum) => usageRowOf(sum, days)),
  };
}

/** Resolves to a page of the statements, newest first, back to the month of the first entry. Throws `AdminError` for an invalid page. */
export async function listStatements(
  { statements, clock, ...sums }: StatementPorts,
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
  const figures = await statements.figures({ accountId, spans, usage: [sumsOf(accountId, { spans })] });
  const { firstEntryAtMs } = figures;
  const items = chained(inOrder, figures, figures.usage[0] ?? [], nowMs)
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
export function statementFrom(month: Month, figures: AccountFigures, nowMs: number): Statement {
  const [statement] = chained([month], figures, figures.charges, nowMs);
  return statement ?? statementOf(month, NO_AMOUNTS, figures.balanceNanoUsd, nowMs);
}

/** Resolves to which sums that months begin and end with are still kept. */
async function keptOf(
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
  { balanceNanoUsd, entries }: Pick<StatementFigures, 'balanceNanoUsd' | 'entries'>,
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

export interface ExportPorts extends StatementPorts {
  readonly directory: Pick<DirectoryStore, 'accounts'>;
}

interface WantedExport {
  /** A month such as `2026-11`; if absent, the last one that has ended. */
  readonly month?: string | undefined;
  readonly timeZone: string;
}

/** The effect of the month on an account's balance, and what its charges were for. */
export interface AccountStatement extends Statement {
  readonly account: Account;
  readonly usage: UsageMeasures;
}

/**
 * The number of accounts that are read in one snapshot. With 100 accounts of some 600 sums each, all on disk, PostgreSQL took 3 s, which is
 * too close to the time after which it ends a read.
 */
const MOST_ACCOUNTS = 25;

interface StatementExport {
  readonly month: Month;
  /** Reads a page, whose `after` and `next` are ids of accounts. */
  readonly read: (request: PageRequest) => Promise<Page<AccountStatement>>;
}

/**
 * Resolves to the statements of one month for all accounts, including archived ones, read a page at a time in the order of their ids. Each
 * statement shows one moment. Throws `AdminError` for an invalid month or zone.
 */
export async function statementExport(
  { statements, clock, directory, ...sums }: ExportPorts,
  { month: name, timeZone }: WantedExport,
): Promise<StatementExport> {
  refuseUnknownZone(timeZone);
  const nowMs = clock.nowMs();
  const month =
    name === undefined ? monthBefore(monthAt(nowMs, timeZone), timeZone) : monthNamed(name, timeZone, nowMs);
  refuseForgotten([month], await keptOf(sums, nowMs), 'time_zone');
  const spans = spansOf(month);
  const read: StatementExport['read'] = async ({ after = null, ...request }) => {
    const limit = Math.min(limitOf(request), MOST_ACCOUNTS);
    const found = await directory.accounts({ after, limit: limit + 1 });
    const accounts = found.slice(0, limit);
    const figuresOf = await statements.figuresOf({ accountIds: accounts.map(({ id }) => id), spans });
    const items = accounts.map((account) => {
      const figures = figuresOf.get(account.id) ?? NO_FIGURES;
      const usage = total(figures.charges.filter(({ span }) => span === 0));
      return { account, usage, ...statementFrom(month, figures, nowMs) };
    });
    return { items, next: found.length > limit ? (accounts.at(-1)?.id ?? null) : null };
  };
  return { month, read };
}

/** Returns a statement as JSON. Amounts are exact decimals in USD as text. */
export function statementView(accountId: string, timeZone: string, statement: Statement) {
  const { month, isFinal, openingNanoUsd, amounts, closingNanoUsd } = statement;
  return {
    account: accountId,
    month: month.name,
    time_zone: timeZone,
    from: isoTime(month.fromMs),
    to: isoTime(month.toMs),
    is_final: isFinal,
    opening_usd: formatNanoUsd(openingNanoUsd),
    grants_usd: formatNanoUsd(amounts.grant),
    refunds_usd: formatNanoUsd(amounts.refund),
    adjustments_usd: formatNanoUsd(amounts.adjustment),
    charges_usd: formatNanoUsd(amounts.charge),
    closing_usd: formatNanoUsd(closingNanoUsd),
  };
}

export function monthStatementView(accountId: string, timeZone: string, statement: MonthStatement) {
  const dayOf = dayNames(timeZone);
  return {
    ...statementView(accountId, timeZone, statement),
    usage: measuresView(statement.usage),
    by_model: rankedView(statement.byModel, modelIdView),
    by_key: rankedView(statement.byKey, keyIdView),
    by_day: statement.byDay.map((row) => ({ date: dayOf(row.fromMs), ...usageRowView(row) })),
  };
}

/** Returns a line of an export: the statement, and the measures of usage that are billed. */
export function accountStatementView(timeZone: string, { account, usage, ...statement }: AccountStatement) {
  const { account: id, ...amounts } = statementView(account.id, timeZone, statement);
  return { account: id, name: account.name, ...amounts, ...measuresView(usage) };
}

/** Returns a function that names days as in `2026-11-30`, in the zone of the statement. */
function dayNames(timeZone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA-u-ca-iso8601-nu-latn', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
  });
  return (atMs) => format.format(atMs);
}
