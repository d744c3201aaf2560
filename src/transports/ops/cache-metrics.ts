import type { Registry } from 'prom-client';
import { type CacheMatch, FEEDBACK_TYPES, type FeedbackType } from '../../domain/cache/cache.ts';
import type { Unit } from '../../domain/money/quantity.ts';
import type { CacheStore } from '../../engine/ports/cache-store.ts';
import type { CacheInvalidation, CacheMetrics, CacheSkip, CacheStoring } from '../../engine/ports/metrics.ts';
import type { QuestionIndex } from '../../engine/ports/question-index.ts';
import {
  CounterFamily,
  type FastCounter,
  type FastHistogram,
  GaugeFamily,
  HistogramFamily,
  SECONDS,
} from './fast-metrics.ts';
import type { NameLabels } from './name-labels.ts';

const SKIPS: readonly CacheSkip[] = ['policy', 'client', 'request'];
const STORINGS: readonly CacheStoring[] = ['stored', 'too_large', 'refused', 'cut', 'blocked', 'unfit'];
const INVALIDATIONS: readonly CacheInvalidation[] = ['feedback', 'operator'];

/** Counts this process's cache hits, misses, writes and reports. */
export class CacheCounters implements CacheMetrics {
  private readonly hits: CounterFamily;
  private readonly durations: HistogramFamily;
  private readonly saved: CounterFamily;
  private readonly misses: CounterFamily;
  private readonly missesOf = new Map<string, FastCounter>();
  private readonly skips: Readonly<Record<CacheSkip, FastCounter>>;
  private readonly storings: Readonly<Record<CacheStoring, FastCounter>>;
  private readonly reports: Readonly<Record<FeedbackType, FastCounter>>;
  private readonly invalidations: Readonly<Record<CacheInvalidation, FastCounter>>;

  constructor(
    registry: Registry,
    private readonly labels: NameLabels,
  ) {
    const family = (name: string, help: string) => new CounterFamily(registry, name, help);
    this.hits = family('switchyard_cache_hits_total', 'Requests answered from the cache, by model and match.');
    this.durations = new HistogramFamily(
      registry,
      'switchyard_cache_hit_duration_seconds',
      'Time from the arrival of a request to the end of its cached response.',
      SECONDS,
    );
    this.saved = family(
      'switchyard_cache_saved_total',
      'Usage of cached responses when upstreams generated them, by model and unit.',
    );
    this.misses = family('switchyard_cache_misses_total', 'Cache lookups that found no entry.');
    this.skips = eachOf(
      SKIPS,
      family('switchyard_cache_skipped_total', 'Requests that bypassed the cache, by reason.'),
      'reason',
    );
    this.storings = eachOf(
      STORINGS,
      family('switchyard_cache_stores_total', 'Responses offered to the cache, by outcome.'),
      'outcome',
    );
    this.reports = eachOf(
      FEEDBACK_TYPES,
      family('switchyard_cache_reports_total', 'Client reports of wrong responses from the cache.'),
      'type',
    );
    this.invalidations = eachOf(
      INVALIDATIONS,
      family('switchyard_cache_invalidations_total', 'Invalidated cache entries, by who invalidated them.'),
      'by',
    );
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

  hitsOf(model: string, match: CacheMatch): FastCounter {
    return this.hits.labels({ model, match });
  }

  durationOf(match: CacheMatch, stream: boolean): FastHistogram {
    return this.durations.labels({ match, stream: String(stream) });
  }

  savedOf(model: string, unit: Unit): FastCounter {
    return this.saved.labels({ model, unit });
  }
}

/** Registers gauges for the content of the cache, read at each scrape. `index` is `null` without semantic search. */
export function cacheGauges(
  registry: Registry,
  store: Pick<CacheStore, 'statistics'>,
  index: Pick<QuestionIndex, 'statistics'> | null,
): void {
  new GaugeFamily(registry, 'switchyard_cache_entries', 'Entries in the cache, by place.', () =>
    placesOf(store).map(({ place, entries }) => ({ labels: { place }, value: entries })),
  );
  new GaugeFamily(registry, 'switchyard_cache_bytes', 'Size of the cache entries, by place.', () =>
    placesOf(store).map(({ place, bytes }) => ({ labels: { place }, value: bytes })),
  );
  if (index === null) return;
  new GaugeFamily(registry, 'switchyard_cache_questions', 'Prompts in the semantic index.', () => [
    { labels: {}, value: index.statistics().questions },
  ]);
  new GaugeFamily(registry, 'switchyard_cache_question_bytes', 'Memory of the vectors of the semantic index.', () => [
    { labels: {}, value: index.statistics().bytes },
  ]);
}

function placesOf(store: Pick<CacheStore, 'statistics'>) {
  const { memory, beyond } = store.statistics();
  return [{ place: 'memory', ...memory }, ...(beyond === null ? [] : [{ place: beyond.kind, ...beyond }])];
}

/** Creates all counters at zero: there is no rate over a series that has just appeared. */
function eachOf<Word extends string>(words: readonly Word[], family: CounterFamily, label: string) {
  // The keys of the entries are the words.
  return Object.fromEntries(words.map((word) => [word, family.labels({ [label]: word })])) as Record<Word, FastCounter>;
}
