import type { Formats } from '../../../kit/format.tsx';

/** Formats `2026-11` as `November 2026`. */
export function monthName(month: string, { locale }: Formats): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const names = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });
  return names.format(Date.UTC(year, number - 1));
}

const PLACES = 9;

/** Returns the exact sum of decimal amounts, to the nano-dollar. */
export function sumOf(amounts: readonly string[]): string {
  const sum = amounts.reduce((all, amount) => all + nanosOf(amount), 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(PLACES + 1, '0');
  const text = `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, '');
  return sum < 0n ? `-${text}` : text;
}

function nanosOf(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.replace('-', '').split('.');
  const nanos = BigInt(whole + decimals.padEnd(PLACES, '0').slice(0, PLACES));
  return amount.startsWith('-') ? -nanos : nanos;
}

/** Returns the number of decimals of a column's longest amount, at least two. */
export function decimalsOf(amounts: readonly string[]): number {
  return amounts.reduce((most, amount) => Math.max(most, (amount.split('.')[1] ?? '').length), 2);
}
