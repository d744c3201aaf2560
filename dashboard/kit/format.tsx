import type { ReactNode } from 'react';
import { type Language, useLanguage } from '../text/text.tsx';
import { spaced } from './spaced.ts';
import { isShown, useWidth, type Width } from './width.ts';

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', zh: 'zh-CN' };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats numbers, amounts and times for the reader's locale; times are in the browser's zone. */
export class Formats {
  readonly locale: string;
  readonly timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  /** Formatters by their options: creating one costs some hundred times as much as using it. */
  private readonly made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

  constructor(language: Language) {
    // Uses the reader's regional variant if the browser names one.
    const own = navigator.languages.find((tag) => tag.split('-')[0] === language);
    this.locale = own ?? LOCALES[language];
  }

  private numbers(options: Intl.NumberFormatOptions): Intl.NumberFormat {
    return this.kept(`number ${JSON.stringify(options)}`, () => new Intl.NumberFormat(this.locale, options));
  }

  private dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    return this.kept(`date ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(this.locale, options));
  }

  private kept<Format extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => Format): Format {
    const known = this.made.get(key) as Format | undefined;
    if (known !== undefined) return known;
    const format = make();
    this.made.set(key, format);
    return format;
  }

  /** Formats `1,234`; fractions have at most three digits. */
  number(value: number): string {
    return this.numbers({}).format(value);
  }

  /** Formats `1.2M`, for axes and tiles. */
  compact(value: number): string {
    return this.numbers({ notation: 'compact', maximumFractionDigits: 1 }).format(value);
  }

  /** Formats a fraction of 1: `12.3%`. */
  percent(fraction: number): string {
    return this.numbers({ style: 'percent', maximumFractionDigits: 1 }).format(fraction);
  }

  /** Formats a relative change: `+12%`, `-3.4%`. */
  change(fraction: number): string {
    const digits = Math.abs(fraction) >= 0.1 ? 0 : 1;
    const style = { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: digits } as const;
    return this.numbers(style).format(fraction);
  }

  /** Formats an amount exactly, down to the nano-dollar, with at least `decimals` decimals. */
  exactMoney(usd: string, decimals = 2): string {
    return this.usd(usd, 9, decimals);
  }

  /** Formats an amount for lists and tiles: in cents, or with the decimals that small amounts need; with a fixed number in a column. */
  money(usd: string, column?: number): string {
    const size = Math.abs(Number(usd));
    const isInCents = size >= 1 || /^-?\d+(?:\.\d{0,2}0*)?$/.test(usd);
    const decimals = column ?? (isInCents ? 2 : size >= 0.01 ? 4 : 6);
    return this.usd(usd, decimals, decimals);
  }

  private usd(usd: string, decimals: number, least = 2): string {
    const style = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
    const format = this.numbers({
      ...style,
      minimumFractionDigits: least,
      maximumFractionDigits: decimals,
    });
    // A string is formatted digit by digit, whereas a number of this size would be rounded.
    return format.format(usd as Intl.StringNumericLiteral);
  }

  /** Formats `Nov 23, 2026, 17:11:05`. */
  time(at: string | number): string {
    return this.dateTime(at, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
  }

  /** Formats `Nov 23, 2026, 17:11`, for bounds at whole minutes. */
  minute(at: string | number): string {
    return this.dateTime(at, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  }

  /** Formats a short time for lists: `17:11:05` today, `Nov 23, 17:11` or `11/23 17:11` this year, `Nov 23, 2025` before. */
  listTime(at: string | number): string {
    const date = new Date(at);
    const now = new Date();
    const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    if (date.toDateString() === now.toDateString()) return this.dateTime(at, { ...minute, second: '2-digit' });
    if (date.getFullYear() !== now.getFullYear()) return this.date(at);
    const month = this.locale.startsWith('zh') ? 'numeric' : 'short';
    return this.dateTime(at, { month, day: 'numeric', ...minute });
  }

  /** Formats a time with milliseconds and the zone. */
  exactTime(at: string | number): string {
    const date = new Date(at);
    if (Number.isNaN(date.getTime())) return '–';
    const zone = this.dates({ timeZoneName: 'short' }).formatToParts(date);
    // Chinese would put the zone between the day and the hour.
    const time = this.dates({
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
      ...{ fractionalSecondDigits: 3, hourCycle: 'h23' },
    }).format(date);
    return `${time} ${zone.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`;
  }

  date(at: string | number): string {
    return this.dateTime(at, { dateStyle: 'medium' });
  }

  private dateTime(at: string | number, options: Intl.DateTimeFormatOptions): string {
    const date = new Date(at);
    return Number.isNaN(date.getTime()) ? '–' : this.dates(options).format(date);
  }

  /** Formats `3 minutes ago`, `in 2 days`. */
  relative(at: string | number, nowMs = Date.now()): string {
    const away = new Date(at).getTime() - nowMs;
    if (Number.isNaN(away)) return '–';
    const format = new Intl.RelativeTimeFormat(this.locale, { numeric: 'auto' });
    const size = Math.abs(away);
    if (size < MINUTE) return format.format(Math.round(away / SECOND), 'second');
    if (size < HOUR) return format.format(Math.round(away / MINUTE), 'minute');
    if (size < DAY) return format.format(Math.round(away / HOUR), 'hour');
    return format.format(Math.round(away / DAY), 'day');
  }

  /** Returns `850 ms`, `1.20 s` or `3m 20s`; whole seconds have no fraction, as on an axis. */
  duration(ms: number): string {
    const unit = (value: number, name: string, digits = 0) =>
      this.numbers({
        ...{ style: 'unit', unit: name, unitDisplay: 'narrow' },
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }).format(value);
    if (ms < SECOND) return spaced(unit(ms, 'millisecond'));
    if (ms < MINUTE) return spaced(unit(ms / SECOND, 'second', ms % SECOND === 0 ? 0 : 2));
    if (ms < HOUR && ms % MINUTE === 0) return unit(ms / MINUTE, 'minute');
    if (ms < HOUR)
      return `${unit(Math.floor(ms / MINUTE), 'minute')} ${unit(Math.floor((ms % MINUTE) / SECOND), 'second')}`;
    if (ms < 2 * DAY)
      return `${unit(Math.floor(ms / HOUR), 'hour')} ${unit(Math.floor((ms % HOUR) / MINUTE), 'minute')}`;
    return unit(ms / DAY, 'day', 1);
  }

  /** Formats `1.5 MB`. */
  bytes(count: number): string {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
    const step = Math.min(units.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3));
    const unit = units[step] ?? 'byte';
    // A fixed decimal aligns columns. The short name of bytes has no plural.
    const digits = step === 0 ? 0 : 1;
    return this.numbers({
      ...{ style: 'unit', unit, unitDisplay: step === 0 ? 'long' : 'short' },
      ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
    }).format(count / 1000 ** step);
  }
}

const FORMATS = new Map<Language, Formats>();

export function useFormat(): Formats {
  const { language } = useLanguage();
  const known = FORMATS.get(language) ?? new Formats(language);
  FORMATS.set(language, known);
  return known;
}

/** A time, with the exact one as its title. */
export function Time({ at, isRelative = false }: { readonly at: string; readonly isRelative?: boolean }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.exactTime(at)} className="whitespace-nowrap numbers">
      {isRelative ? format.relative(at) : format.time(at)}
    </time>
  );
}

/** A time in a list: a short one if the window is narrower than `longFrom`. */
export function ListTime({ at, longFrom = 'sm' }: { readonly at: string; readonly longFrom?: Width }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.exactTime(at)} className="whitespace-nowrap numbers">
      {isShown(longFrom, useWidth()) ? format.time(at) : format.listTime(at)}
    </time>
  );
}

/** An amount, with the exact one as its title; a dash for `null`. */
export function Money({
  usd,
  isExact = false,
  decimals,
}: {
  readonly usd: string | null;
  readonly isExact?: boolean;
  /** The number of decimals, the minimum if exact: the same number aligns a column. */
  readonly decimals?: number;
}): ReactNode {
  const format = useFormat();
  if (usd === null) return <span className="text-soft">–</span>;
  return (
    <span className="whitespace-nowrap numbers" title={format.exactMoney(usd)}>
      {isExact ? format.exactMoney(usd, decimals) : format.money(usd, decimals)}
    </span>
  );
}
