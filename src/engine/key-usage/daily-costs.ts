import { DEFAULT_TIME_ZONE } from '../../domain/money/budget.ts';
import type { KeptSums } from '../admin/usage/usage-spans.ts';
import type { UsageSpan, UsageSum } from '../ports/usage-store.ts';
import type { DailyCost } from './copied-views.ts';
import { daysOf, modelOf, type SumsPorts, type sumsOf } from './read-sums.ts';

/** The most costs per day and model. A period with more has one item per day, with the name `Other`. */
const MOST_ITEMS = 2_000;

/** Resolves to the charges in each of these spans, all from one moment. The spans may overlap. */
export async function costsIn(
  usage: SumsPorts,
  of: ReturnType<typeof sumsOf>,
  spans: readonly UsageSpan[],
): Promise<readonly bigint[]> {
  const sums = await usage.sums(spans.map((span) => ({ ...of, spans: [span], groupBy: [], limit: 1 })));
  return sums.map(([sum]) => sum?.costNanoUsd ?? 0n);
}

/**
 * Resolves to the costs per day (UTC) and model, up to today, and their sum. Throws `AdminError` for a time for which no sums are kept.
 */
export async function dailyCosts(
  usage: SumsPorts,
  of: ReturnType<typeof sumsOf>,
  { fromMs, toMs, nowMs, kept }: UsageSpan & { readonly nowMs: number; readonly kept: KeptSums },
): Promise<{ readonly days: readonly DailyCost[]; readonly totalNanoUsd: bigint }> {
  const days = daysOf({ fromMs, toMs, timeZone: DEFAULT_TIME_ZONE }, kept);
  const query = { ...of, spans: days };
  const [whole = [], byModel = []] = await usage.sums([
    { ...query, groupBy: [], limit: days.length },
    { ...query, groupBy: ['modelId'], limit: MOST_ITEMS, dearestFirst: true },
  ]);
  const items = byModel.length > MOST_ITEMS ? whole : byModel;
  const itemsOf = Map.groupBy(items.filter(isCharged), ({ span }) => span);
  const past = days.filter((day) => day.fromMs <= nowMs);
  return {
    days: past.map((span, place) => ({ span, models: (itemsOf.get(place) ?? []).map(modelOf) })),
    totalNanoUsd: whole.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n),
  };
}

function isCharged({ costNanoUsd }: UsageSum): boolean {
  return costNanoUsd !== 0n;
}
