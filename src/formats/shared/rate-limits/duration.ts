const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Parses `120ms`, `1s`, `7.66s`, `6m0s`, `1h30m0s`. Returns milliseconds, or `undefined` for any other text. */
export function durationMs(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total;
}
