import { InvalidArgumentError } from 'commander';
import { parseTime } from '../../domain/access/expiry.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';

/** An amount as people read it, exact: `$0.25`, `-$3`. */
export function dollars(amountNanoUsd: bigint): string {
  return amountNanoUsd < 0n ? `-$${formatNanoUsd(-amountNanoUsd)}` : `$${formatNanoUsd(amountNanoUsd)}`;
}

/** The value of an option that counts something. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time such as `30d`, `12h`, `90m` or `0`, in milliseconds. */
export function lengthOfTime(text: string): number {
  const [, count, unit = 'm'] = /^(?=0$|.*[mhd]$)(\d{1,6})([mhd])?$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (count === undefined || unitMs === undefined) {
    throw new InvalidArgumentError('It must be a length of time such as 30d, 12h or 90m.');
  }
  return Number(count) * unitMs;
}

/** A point in time: a date, a time with its zone, or how long from now on, such as `30d`. In milliseconds since 1970. */
export function pointInTime(nowMs: number): (text: string) => number {
  return (text) => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    const unitMs = unit === undefined ? undefined : UNIT_MS[unit];
    if (unitMs !== undefined) return nowMs + Number(count) * unitMs;
    const parsed = parseTime(text);
    if (parsed.ok) return parsed.timeMs;
    throw new InvalidArgumentError(`It ${parsed.problem}, or a length of time such as 30d, 12h or 90m.`);
  };
}

/** A point in time that is over: a date, a time with its zone, or how long ago, such as `30d`. In milliseconds since 1970. */
export function pastTime(nowMs: number): (text: string) => number {
  return (text) => {
    const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
    const unitMs = unit === undefined ? undefined : UNIT_MS[unit];
    if (unitMs !== undefined) return nowMs - Number(count) * unitMs;
    const parsed = parseTime(text);
    if (parsed.ok) return parsed.timeMs;
    throw new InvalidArgumentError(`It ${parsed.problem}, or how long ago, such as 30d, 12h or 90m.`);
  };
}
