import { type ReactNode, useCallback } from 'react';
import { kitText } from '../text/kit.ts';
import { type Language, useLanguage, useText } from '../text/text.tsx';
import { costOf, rounded, type Spending } from './money.ts';
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
    const { usd: shown, decimals, sign } = rounded(usd, column);
    return sign + this.usd(shown, decimals, decimals);
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

  /** Formats `3 min. ago`, `in 2 days`. */
  relative(at: string | number, nowMs = Date.now()): string {
    const away = new Date(at).getTime() - nowMs;
    if (Number.isNaN(away)) return '–';
    const format = new Intl.RelativeTimeFormat(this.locale, { numeric: 'auto', style: 'short' });
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

  /** Formats a number in one unit, in words for times and short for sizes: `10 minutes`, `2.5 GB`. */
  inUnit(count: number, unit: string): string {
    const unitDisplay = /^(?:kilo|mega|giga)byte$/.test(unit) ? 'short' : 'long';
    return this.numbers({ style: 'unit', unit, unitDisplay }).format(count);
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

/** Replaces an amount for which there is no price: such traffic is not charged, but it is not free either. */
export function NoPrice() {
  const text = useText(kitText);
  return (
    <span className="whitespace-nowrap text-soft" title={text.noPriceHelp}>
      {text.noPrice}
    </span>
  );
}

interface MoneyProps {
  /** `null` if there is no price; undefined if there is no amount to show, such as while it loads: a dash. */
  readonly usd: string | null | undefined;
  readonly isExact?: boolean;
  /** The number of decimals, the minimum if exact: the same number aligns a column. */
  readonly decimals?: number;
}

/** An amount, with the exact one as its title. */
export function Money({ usd, isExact = false, decimals }: MoneyProps): ReactNode {
  const format = useFormat();
  if (usd === undefined) return <span className="text-soft">–</span>;
  if (usd === null) return <NoPrice />;
  return (
    <span className="whitespace-nowrap numbers" title={format.exactMoney(usd)}>
      {isExact ? format.exactMoney(usd, decimals) : format.money(usd, decimals)}
    </span>
  );
}

/** Returns a function that formats an amount as `Money` does, for charts and tiles that take a text. */
export function useMoney(): (usd: string | null | undefined, decimals?: number) => string {
  const text = useText(kitText);
  const format = useFormat();
  return useCallback(
    (usd, decimals) => (usd === undefined ? '–' : usd === null ? text.noPrice : format.money(usd, decimals)),
    [text, format],
  );
}

/** The cost of usage, with the number of requests that have no price. */
export function Spend({ sums, ...rest }: { readonly sums: Spending } & Omit<MoneyProps, 'usd'>) {
  const text = useText(kitText);
  const cost = costOf(sums);
  const { unpriced_requests: unpriced = 0 } = sums;
  return (
    <>
      <Money usd={cost} {...rest} />
      {cost !== null && unpriced > 0 && (
        <span className="text-soft text-xs" title={text.noPriceHelp}>
          {' '}
          {text.plusUnpriced(unpriced)}
        </span>
      )}
    </>
  );
}
