import { InvalidArgumentError } from 'commander';
import { parseTime } from '../../domain/access/expiry.ts';
import { type Budget, DEFAULT_TIME_ZONE } from '../../domain/money/budget.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { CommandError } from './command-error.ts';

/** Formats an exact amount: `$0.25`, `-$3`. */
export function dollars(amountNanoUsd: bigint): string {
  return amountNanoUsd < 0n ? `-$${formatNanoUsd(-amountNanoUsd)}` : `$${formatNanoUsd(amountNanoUsd)}`;
}

/** Formats a budget: `$50/month`. */
export function formatBudget(budget: Budget | null): string {
  if (budget === null) return '-';
  const { amountNanoUsd, per, timeZone } = budget;
  return `${dollars(amountNanoUsd)}/${per}${timeZone === DEFAULT_TIME_ZONE ? '' : ` (${timeZone})`}`;
}

/** Parses the value of an option that counts something. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export interface BudgetOptions {
  readonly budget?: string;
  readonly budgetTimeZone?: string;
}

/** Combines two options, `50/month` and a time zone, into the form of the budget's schema, which validates them. */
export function parseBudget({ budget, budgetTimeZone }: BudgetOptions): object | undefined {
  if (budget === undefined) {
    if (budgetTimeZone === undefined) return undefined;
    throw new CommandError('--budget-time-zone: needs --budget as well, such as 50/month', 2);
  }
  const [usd, per, ...more] = budget.split('/');
  if (per === undefined || more.length > 0) {
    throw new CommandError('--budget: must be an amount in USD and a period, such as 50/month or 0.5/day', 2);
  }
  return { usd, per, ...(budgetTimeZone === undefined ? {} : { time_zone: budgetTimeZone }) };
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `30d`, `12h`, `90m` or `0` into milliseconds. */
export function lengthOfTime(text: string): number {
  const [, count, unit = 'm'] = /^(?=0$|.*[mhd]$)(\d{1,6})([mhd])?$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (count === undefined || unitMs === undefined) {
    throw new InvalidArgumentError('It must be a duration such as 30d, 12h or 90m.');
  }
  return Number(count) * unitMs;
}

/** Returns a parser of a point in time: a date, a time with its zone, or a duration from now, such as `30d`. In milliseconds since 1970. */
export function pointInTime(nowMs: number): (text: string) => number {
  return (text) => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    const unitMs = unit === undefined ? undefined : UNIT_MS[unit];
    if (unitMs !== undefined) return nowMs + Number(count) * unitMs;
    const parsed = parseTime(text);
    if (parsed.ok) return parsed.timeMs;
    throw new InvalidArgumentError(`It ${parsed.problem}, or a duration such as 30d, 12h or 90m.`);
  };
}

/** Returns a parser of a past point in time: a date, a time with its zone, or how long ago, such as `30d`. In milliseconds since 1970. */
export function pastTime(nowMs: number): (text: string) => number {
  return (text) => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    const unitMs = unit === undefined ? undefined : UNIT_MS[unit];
    if (unitMs !== undefined) return nowMs - Number(count) * unitMs;
    const parsed = parseTime(text);
    if (parsed.ok) return parsed.timeMs;
    throw new InvalidArgumentError(`It ${parsed.problem}, or a duration before now, such as 30d, 12h or 90m.`);
  };
}
