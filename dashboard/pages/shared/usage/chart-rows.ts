import type { UsageBreakdown } from '../../../api/schema.ts';

type Part = UsageBreakdown['series'][number];

interface Row {
  readonly at: number;
  readonly values: (number | null)[];
}

/** Returns the rows of a chart with some of the groups, and all others together. */
export function chartOf(series: readonly Part[], places: readonly number[], isSum: boolean) {
  const rows = series.map(({ from, total, values }): Row => {
    const shown = places.map((place) => numberOf(values[place] ?? null));
    const rest = (numberOf(total) ?? 0) - shown.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    // Amounts are exact in the table; a chart may round.
    return { at: Date.parse(from), values: isSum ? [...shown, rest > 1e-9 ? rest : 0] : shown };
  });
  const hasOthers = isSum && rows.some(({ values }) => (values.at(-1) ?? 0) > 0);
  return {
    ...{ places, hasOthers },
    rows: isSum && !hasOthers ? rows.map(({ at, values }) => ({ at, values: values.slice(0, -1) })) : rows,
  };
}

function numberOf(value: Part['total']): number | null {
  return value === null ? null : Number(value);
}
