import { type CacheMatch, FEEDBACK_TYPES, type FeedbackType } from '../../domain/cache/cache.ts';
import type { Histogram } from '../../domain/metrics/histogram.ts';
import { isTokenUnit, type Unit } from '../../domain/money/quantity.ts';
import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { CacheInvalidation, CacheMetrics, CacheSkip, CacheStoring } from '../../engine/ports/metrics.ts';
import type { QuestionIndex } from '../../engine/ports/question-index.ts';
import { type Counter, CounterFamily, HistogramFamily, ReadFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { NameLabels } from './name-labels.ts';

const SKIPS: readonly CacheSkip[] = ['policy', 'client', 'request'];
const STORINGS: readonly CacheStoring[] = ['stored', 'too_large', 'refused', 'cut', 'blocked', 'unfit'];
const INVALIDATIONS: readonly CacheInvalidation[] = ['feedback', 'operator'];

/** Counts this process's cache hits, misses, writes and reports. */
export class CacheCounters implements CacheMetrics {
  private readonly hits: CounterFamily<'switchyard_cache_hits_total'>;
  private readonly durations: HistogramFamily<'switchyard_cache_hit_duration_seconds'>;
  private readonly savedTokens: CounterFamily<'switchyard_cache_saved_tokens_total'>;
  private readonly savedSeconds: CounterFamily<'switchyard_cache_saved_media_seconds_total'>;
  private readonly savedUnits: CounterFamily<'switchyard_cache_saved_units_total'>;
  private readonly savedUsd: CounterFamily<'switchyard_cache_saved_usd_total'>;
  private readonly misses: CounterFamily<'switchyard_cache_misses_total'>;
  private readonly missesOf = new Map<string, Counter>();
  private readonly skips: Readonly<Record<CacheSkip, Counter>>;
  private readonly storings: Readonly<Record<CacheStoring, Counter>>;
  private readonly reports: Readonly<Record<FeedbackType, Counter>>;
  private readonly invalidations: Readonly<Record<CacheInvalidation, Counter>>;

  constructor(
    registry: MetricRegistry,
    private readonly labels: NameLabels,
  ) {
    this.hits = new CounterFamily(registry, 'switchyard_cache_hits_total');
    this.durations = new HistogramFamily(registry, 'switchyard_cache_hit_duration_seconds');
    this.savedTokens = new CounterFamily(registry, 'switchyard_cache_saved_tokens_total');
    this.savedSeconds = new CounterFamily(registry, 'switchyard_cache_saved_media_seconds_total', { per: 1_000 });
    this.savedUnits = new CounterFamily(registry, 'switchyard_cache_saved_units_total');
    this.savedUsd = new CounterFamily(registry, 'switchyard_cache_saved_usd_total', { per: 1e9 });
    this.misses = new CounterFamily(registry, 'switchyard_cache_misses_total');
    const skipped = new CounterFamily(registry, 'switchyard_cache_skipped_total');
    this.skips = eachOf(SKIPS, (reason) => skipped.labels({ reason }));
    const stored = new CounterFamily(registry, 'switchyard_cache_stores_total');
    this.storings = eachOf(STORINGS, (outcome) => stored.labels({ outcome }));
    const reported = new CounterFamily(registry, 'switchyard_cache_reports_total');
    this.reports = eachOf(FEEDBACK_TYPES, (type) => reported.labels({ type }));
    const invalidated = new CounterFamily(registry, 'switchyard_cache_invalidations_total');
    this.invalidations = eachOf(INVALIDATIONS, (by) => invalidated.labels({ by }));
  }

  cacheSkipped(why: CacheSkip): void {
    this.skips[why].add(1);
  }

  cacheMissed(modelId: string): void {
    const model = this.labels.model(modelId);
    let counter = this.missesOf.get(model);
    if (counter === undefined) {
      counter = this.misses.labels({ model });
      this.missesOf.set(model, counter);
    }
    counter.add(1);
  }

  cacheStoring(outcome: CacheStoring): void {
    this.storings[outcome].add(1);
  }

  cacheReported(type: FeedbackType): void {
    this.reports[type].add(1);
  }

  cacheInvalidated(by: CacheInvalidation, entries: number): void {
    this.invalidations[by].add(entries);
  }

  hitsOf(model: string, match: CacheMatch): Counter {
    return this.hits.labels({ model, match });
  }

  durationOf(match: CacheMatch, stream: boolean): Histogram {
    return this.durations.labels({ match, stream: String(stream) });
  }

  savedOf(model: string, unit: Unit): Counter {
    if (isTokenUnit(unit)) return this.savedTokens.labels({ model, kind: unit.replace(/_token$/, '') });
    return unit === 'millisecond' ? this.savedSeconds.labels({ model }) : this.savedUnits.labels({ model, unit });
  }

  /** Counts the difference between the uncached and the cached price. */
  saved(modelId: string | null, nanoUsd: bigint): void {
    this.savedUsd.labels({ model: this.labels.model(modelId) }).addWhole(nanoUsd);
  }
}

/** Registers gauges for the content of the cache, read at each scrape. `index` is `null` without semantic search. */
export function cacheGauges(
  registry: MetricRegistry,
  store: Pick<CacheStore, 'statistics'>,
  index: Pick<QuestionIndex, 'statistics'> | null,
): void {
  new ReadFamily(registry, 'switchyard_cache_entries', () =>
    placesOf(store).map(({ place, entries }) => ({ labels: { place }, value: entries })),
  );
  new ReadFamily(registry, 'switchyard_cache_bytes', () =>
    placesOf(store).map(({ place, bytes }) => ({ labels: { place }, value: bytes })),
  );
  if (index === null) return;
  new ReadFamily(registry, 'switchyard_cache_questions', () => [{ labels: {}, value: index.statistics().questions }]);
  new ReadFamily(registry, 'switchyard_cache_question_bytes', () => [{ labels: {}, value: index.statistics().bytes }]);
}

function placesOf(store: Pick<CacheStore, 'statistics'>) {
  const { memory, beyond } = store.statistics();
  return [{ place: 'memory', ...memory }, ...(beyond === null ? [] : [{ place: beyond.kind, ...beyond }])];
}

/** Creates all counters at zero: there is no rate over a series that has just appeared. */
function eachOf<Word extends string>(words: readonly Word[], counterOf: (word: Word) => Counter) {
  // The keys of the entries are the words.
  return Object.fromEntries(words.map((word) => [word, counterOf(word)])) as Record<Word, Counter>;
}
