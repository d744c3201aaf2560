export const BUDGET_PERIODS = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** How much an account or a key may spend per calendar day, week or month. A week begins on Monday. */
export interface Budget {
  readonly amountNanoUsd: bigint;
  readonly per: BudgetPeriod;
  /** The IANA name of the time zone whose midnight begins a period, such as `Europe/Berlin`; `UTC` by default. */
  readonly timeZone: string;
  /** The model that requests get past the amount; absent if they are refused. */
  readonly reroute?: BudgetReroute;
}

/** How a budget goes on with a cheaper model when its amount is spent. */
export interface BudgetReroute {
  /** The public id of the cheaper model. */
  readonly modelId: string;
  /** The percentage of the amount at which requests get that model; 1 to 100. */
  readonly atPercent: number;
  /** The spending of a period that no request may exceed, not even with the cheaper model; `null` for no bound. */
  readonly ceilingNanoUsd: bigint | null;
}

/** A budget's higher amount for a limited time. */
export interface BudgetRaise {
  /** The amount in place of the budget's. Without effect if it is lower. */
  readonly amountNanoUsd: bigint;
  /** When it ends, in milliseconds since 1970. */
  readonly untilMs: number;
}

export const DEFAULT_TIME_ZONE = 'UTC';

/** A period of a budget in milliseconds since 1970; its end is the start of the next one. */
export interface BudgetWindow {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

const DAY_MS = 86_400_000;
/** More than the UTC offset of any time zone. */
const FARTHEST_MS = 15 * 3_600_000;

/** Returns the budget period that contains a point in time. */
export function budgetWindow({ per, timeZone }: Pick<Budget, 'per' | 'timeZone'>, atMs: number): BudgetWindow {
  const zone = zoneOf(timeZone);
  const [start, end] = PERIOD_DAYS[per](zone.dayAt(atMs));
  return { startsAtMs: zone.startOf(start), endsAtMs: zone.startOf(end) };
}

export function isTimeZone(name: string): boolean {
  // Offsets such as +02:00 are not zone names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the first day of the period that contains a day, and of the next one. Days are the milliseconds of their midnight in
 * UTC.
 */
const PERIOD_DAYS: Readonly<Record<BudgetPeriod, (day: number) => readonly [start: number, end: number]>> = {
  day: (day) => [day, day + DAY_MS],
  week(day) {
    const sinceMonday = (new Date(day).getUTCDay() + 6) % 7;
    const monday = day - sinceMonday * DAY_MS;
    return [monday, monday + 7 * DAY_MS];
  },
  month(day) {
    const date = new Date(day);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)];
  },
};

interface Zone {
  /** Returns the calendar day there, as the milliseconds of its midnight in UTC. */
  dayAt(atMs: number): number;
  /** Returns the first moment of a calendar day there, which is later than 0:00 if clocks are set forward at midnight. */
  startOf(day: number): number;
}

const UTC: Zone = { dayAt: (atMs) => Math.floor(atMs / DAY_MS) * DAY_MS, startOf: (day) => day };

const ZONES = new Map<string, Zone>([[DEFAULT_TIME_ZONE, UTC]]);

function zoneOf(name: string): Zone {
  const known = ZONES.get(name);
  if (known !== undefined) return known;
  const zone = localZone(name);
  ZONES.set(name, zone);
  return zone;
}

function localZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const dayAt = (atMs: number) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day'));
  };
  const startOf = (day: number) => {
    let [before, after] = [day - FARTHEST_MS, day + FARTHEST_MS];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (dayAt(middle) >= day) after = middle;
      else before = middle;
    }
    return after;
  };
  return { dayAt, startOf };
}
