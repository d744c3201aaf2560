import type { Principal } from '../../domain/access/principal.ts';
import { minus, total } from '../admin/usage/usage-measures.ts';
import { type KeptSums, refuseForgotten, usageSpans, widened } from '../admin/usage/usage-spans.ts';
import type { UsageMeasures, UsageQuery, UsageSpan, UsageStore, UsageSum } from '../ports/usage-store.ts';
import type { UsageScope } from './spending.ts';

/** A time to sum, divided into days of a time zone. */
export interface WantedPeriod extends UsageSpan {
  readonly timeZone: string;
}

export interface DaySum {
  readonly span: UsageSpan;
  readonly measures: UsageMeasures;
}

export interface ModelSum {
  readonly modelId: string;
  readonly measures: UsageMeasures;
}

export interface PeriodSums {
  readonly span: UsageSpan;
  readonly total: UsageMeasures;
  /** Days without usage are absent. */
  readonly days: readonly DaySum[];
  /** The most expensive first. */
  readonly models: readonly ModelSum[];
  /** The sums of the others; `null` if all models are listed. */
  readonly otherModels: UsageMeasures | null;
}

export type SumsPorts = Pick<UsageStore, 'sums'>;

/** Returns the part of a query that selects the sums of the key, or of its account. */
export function sumsOf({ account, credential }: Principal, scope: UsageScope) {
  return {
    ...{ accountIds: [account.id], tags: null },
    ...(scope === 'key' && { keyIds: [credential.id] }),
  } satisfies Partial<UsageQuery>;
}

/**
 * Resolves to the sums of a period, all from one moment. Throws `AdminError` for a period on bounds for which no sums are kept.
 *
 * @param top the number of models that are listed
 */
export async function periodSums(
  usage: SumsPorts,
  of: ReturnType<typeof sumsOf>,
  wanted: WantedPeriod & { readonly kept: KeptSums; readonly top: number },
): Promise<PeriodSums> {
  const { kept, timeZone, top } = wanted;
  const { fromMs, toMs } = widened(wanted, kept);
  const span = { fromMs, toMs };
  const days = daysOf({ ...span, timeZone }, kept);
  const [totals = [], parts = [], models = []] = await usage.sums([
    { ...of, spans: [span], groupBy: [], limit: 1 },
    { ...of, spans: days, groupBy: [], limit: days.length },
    { ...of, spans: [span], groupBy: ['modelId'], limit: top, dearestFirst: true },
  ]);
  const all = total(totals);
  const listed = models.slice(0, top);
  return {
    ...{ span, total: all, days: parts.flatMap((sum) => dayOf(sum, days)), models: listed.map(modelOf) },
    otherModels: models.length > top ? minus(all, total(listed)) : null,
  };
}

/** Returns the days of a period. Throws `AdminError` for bounds for which no sums are kept. */
export function daysOf({ fromMs, toMs, timeZone }: WantedPeriod, kept: KeptSums): readonly UsageSpan[] {
  const days = usageSpans({ fromMs, toMs, bucket: 'day', timeZone });
  refuseForgotten(days, kept, 'time_zone');
  return days;
}

export function dayOf({ span: place, ...measures }: UsageSum, days: readonly UsageSpan[]): readonly DaySum[] {
  const span = days[place];
  return span === undefined ? [] : [{ span, measures }];
}

export function modelOf({ span: _span, modelId = '', ...measures }: UsageSum): ModelSum {
  return { modelId, measures };
}
