import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { isoTime } from '../schema/iso-time.ts';
import { keyIdView, measuresView, modelIdView, rankedView, usageRowView } from '../usage/usage-view.ts';
import type { AccountStatement } from './export-statements.ts';
import type { MonthStatement, Statement } from './read-statements.ts';

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
