/** The kind of a chart's values, which decides the round numbers on its axis. */
export type ChartUnit = 'count' | 'usd' | 'ms' | 'share';

const MOST_STEPS = 5;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The steps of durations from one second on, which are not decimal. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12, 24, 48].map((hours) => hours * HOUR),
];
/** The ticks of a logarithmic axis of durations: round, and three or four times the one before. */
const LOG_TICKS = [
  ...[1, 3, 10, 30, 100, 300],
  ...[1, 3, 10, 30].map((seconds) => seconds * SECOND),
  ...[2, 10, 30].map((minutes) => minutes * MINUTE),
  ...[2, 6, 24, 96, 240, 720, 2_400, 7_200, 24_000].map((hours) => hours * HOUR),
];
const MOST_LOG_STEPS = 6;
/** An axis is logarithmic if the largest value is more than this many times the smallest. */
const WIDE = 25;

/** Returns the ticks of an axis from zero to at least `most`: round numbers in equal steps. */
export function linearTicks(most: number, unit: ChartUnit): readonly number[] {
  if (!(most > 0)) return [0, 1];
  const step = stepOf(most / MOST_STEPS, unit);
  const count = Math.ceil(most / step - 1e-9);
  // Multiplying leaves no trace of binary fractions such as 0.30000000000000004.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Returns the smallest round step of at least `least`. */
function stepOf(least: number, unit: ChartUnit): number {
  if (unit === 'ms' && least > SECOND / 2) {
    const found = TIME_STEPS.find((step) => step >= least);
    if (found !== undefined) return found;
  }
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least * (1 - 1e-9)) ?? 10 * power;
  return unit === 'count' ? Math.max(1, step) : step;
}

/** Returns the ticks of a logarithmic axis of durations around all values; `null` if a linear one shows them well. */
export function logTicks(values: readonly number[]): readonly number[] | null {
  const positive = values.filter((value) => value > 0);
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  if (positive.length === 0 || most / least <= WIDE) return null;
  const first = LOG_TICKS.findLastIndex((tick) => tick <= least);
  const last = LOG_TICKS.findIndex((tick) => tick >= most);
  const [from, to] = [Math.max(0, first), last === -1 ? LOG_TICKS.length - 1 : last];
  const step = Math.ceil((to - from) / MOST_LOG_STEPS);
  // The last tick may be beyond what is needed, but none is left out at the end.
  return LOG_TICKS.filter((_, place) => place >= from && place < to + step && (place - from) % step === 0);
}
