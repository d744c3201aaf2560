import { AnswerCache } from '../engine/cache/answer-cache.ts';
import { ChannelEmbedder, type ChannelEmbedderPorts } from '../engine/cache/channel-embedder.ts';
import { CacheFeedback, type CacheFeedbackPorts } from '../engine/cache/feedback.ts';
import { QuestionSearch } from '../engine/cache/question-search.ts';
import type { CacheStore } from '../engine/ports/cache-store.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { CacheMetrics } from '../engine/ports/metrics.ts';
import type { Embedder, QuestionIndex } from '../engine/ports/question-index.ts';
import type { Store } from '../engine/ports/store.ts';
import type { CacheSettings } from '../engine/settings/settings.ts';
import { LocalEmbedder } from '../providers/local/in-process/local-embedder.ts';
import { learnedMatcher } from '../semantic-cache/learned-matcher.ts';
import { cacheGauges } from '../transports/ops/cache-metrics.ts';
import type { PrometheusMetrics } from '../transports/ops/prometheus.ts';
import { newId, sleep } from './system.ts';

/** The parts of the cache, and the operator's settings. */
export interface OpenCache {
  readonly settings: CacheSettings;
  readonly store: CacheStore;
  /** `null` without semantic search. */
  readonly index: QuestionIndex | null;
}

export function createCache(
  { settings, store, index }: OpenCache,
  metrics: CacheMetrics,
  ports: ChannelEmbedderPorts & { readonly logger: Logger },
): AnswerCache {
  const embedder = createEmbedder(settings.semantic.embeddings, ports);
  const questions = embedder === null || index === null ? null : new QuestionSearch(embedder, index, learnedMatcher);
  return new AnswerCache({
    store,
    questions,
    settings,
    clock: ports.clock,
    metrics,
    logger: ports.logger,
    newId,
    sleep,
  });
}

interface FeedbackOptions {
  readonly cache: OpenCache;
  readonly store: Pick<Store, 'cacheReports'>;
  readonly logger: Logger;
}

type FeedbackPorts = Omit<CacheFeedbackPorts, 'cache' | 'reports' | 'settings' | 'metrics' | 'logger' | 'newId'>;

/** Creates the service for clients' reports, and registers the gauges of the cache. */
export function createCacheFeedback(
  { cache: { store, settings, index }, store: { cacheReports }, logger }: FeedbackOptions,
  { metrics, ...ports }: FeedbackPorts & { readonly metrics: PrometheusMetrics },
): CacheFeedback {
  cacheGauges(metrics.registry, store, index);
  const { feedback } = settings;
  return new CacheFeedback({
    ...ports,
    cache: store,
    reports: cacheReports,
    settings: feedback,
    metrics: metrics.cache,
    logger,
    newId,
  });
}

/** Creates the embedder for the semantic cache; `null` if it is switched off. */
function createEmbedder(
  embeddings: CacheSettings['semantic']['embeddings'],
  ports: ChannelEmbedderPorts,
): Embedder | null {
  if (embeddings === 'none') return null;
  if (embeddings !== 'local') return new ChannelEmbedder(ports, embeddings);
  const { logger, sleep } = ports;
  return new LocalEmbedder({ sleep, failed: (why) => logger.warn({ reason: why }, 'the embedding worker failed') });
}
