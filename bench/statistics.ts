/** Returns the median; NaN for no values, so that a gap shows in the table instead of passing for a zero. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Returns the `rank`-th percentile (0 to 100), linear between neighbours; NaN for no values. The input need not be sorted. */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = Float64Array.from(values).sort();
  const position = ((sorted.length - 1) * rank) / 100;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
