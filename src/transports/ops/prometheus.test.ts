import { expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import type { ChannelReading, HealthSource } from '../../engine/ports/health-store.ts';
import type { FinishedAttempt } from '../../engine/ports/metrics.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import { cacheGauges } from './cache-metrics.ts';
import { PrometheusMetrics } from './prometheus.ts';
import { parseExposition, written } from './testing/exposition.ts';

const scrape = async (metrics: PrometheusMetrics) =>
  parseExposition((await written(await metrics.snapshot(), 'text')).body);

/** Resolves to the values of a family by their label values, in the order of the labels, such as `main failed`. */
async function valuesOf(metrics: PrometheusMetrics, family: string): Promise<Record<string, number>> {
  const samples = (await scrape(metrics)).get(family)?.samples ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

const attempt = (overrides: Partial<FinishedAttempt> = {}): FinishedAttempt => ({
  channelId: 'main',
  outcome: 'answered',
  kind: null,
  firstByteMs: 20,
  ...overrides,
});

const failed = (kind: string | null, channelId = 'main') =>
  attempt({ channelId, outcome: 'failed', kind, firstByteMs: null });

const record = (overrides: Partial<RequestRecord> = {}): RequestRecord => ({
  requestId: 'r1',
  atMs: 0,
  accountId: 'acme',
  keyId: 'main',
  format: 'openai-chat',
  modelId: 'quick',
  channelId: 'main',
  provider: 'openai',
  upstreamModel: 'gpt-quick',
  answerModel: null,
  stream: false,
  status: 200,
  errorCode: null,
  failureKind: null,
  clientGone: false,
  retryCount: 0,
  failedAttempts: [],
  latencyMs: 100,
  firstByteMs: 20,
  billable: sampleBillable({ input: 10, cachedInput: 1, cacheWrite: 2, output: 5, reasoning: 3 }),
  costNanoUsd: 180n,
  upstreamRequestId: null,
  cacheMatch: null,
  cacheEntryId: null,
  ...overrides,
});

interface ChannelState {
  readonly channelId: string;
  readonly isUsable: boolean;
  readonly inFlight: number;
}

/** A source whose readings a test changes between scrapes. */
class Readings implements HealthSource {
  ofModels: ChannelReading[] = [];
  ofChannels: ChannelState[] = [];

  ofChanges: { channelId: string; state: 'closed' | 'half-open' | 'open'; count: number }[] = [];
  ofUsable: { modelId: string; channels: number }[] = [];

  transitions() {
    return this.ofChanges;
  }

  usableChannels() {
    return this.ofUsable;
  }

  keys() {
    return [];
  }

  /** A generator can be read only once, as a source's iterable may be. */
  *models(): Iterable<ChannelReading> {
    yield* this.ofModels;
  }

  *channels(): Iterable<ChannelState> {
    yield* this.ofChannels;
  }

  /** The prefix of the names of accounts' own channels and models. */
  ownNames = 'own-';
  inFlight: number | null = null;

  privateInFlight = () => this.inFlight;
  isPlatformChannel = (id: string) => !id.startsWith(this.ownNames);
  isPlatformModel = (id: string) => !id.startsWith(this.ownNames);
}

const reading = (channelId: string, upstreamModel: string, state: ChannelReading['state']): ChannelReading => ({
  channelId,
  upstreamModel,
  state,
  inFlight: 0,
});

test('quantities of requests are counted by kind of token and by piece, in all variants', async () => {
  const metrics = new PrometheusMetrics();
  const image = (variant: string) => ({ unit: 'image', amount: 2, variant }) as const;
  const { quantities, source } = sampleBillable({ input: 7, outputAudio: 3, webSearches: 1 });
  const billable = { quantities: [...quantities, image('512x512'), image('1024x1024')], source };
  for (const one of [billable, billable, null]) metrics.requestFinished(record({ billable: one }));
  const none = { cached_input: 0, cache_write: 0, output: 0, reasoning: 0 };
  const countsOf = async (name: string, label: string) => {
    const samples = (await scrape(metrics)).get(name)?.samples ?? [];
    return Object.fromEntries(samples.map(({ labels, value }) => [labels[label], value]));
  };
  expect(await countsOf('switchyard_tokens_total', 'kind')).toEqual({ ...none, input: 14, audio_output: 6 });
  expect(await countsOf('switchyard_billed_units_total', 'unit')).toEqual({ image: 8, web_search: 2 });
});

test('a response from the cache counts separately, and for no channel', async () => {
  const metrics = new PrometheusMetrics();
  const billable = sampleBillable({ input: 7, output: 3, webSearches: 1 });
  const hit = { cacheMatch: 'semantic', cacheEntryId: 'ce_1', billable, costNanoUsd: 0n } as const;
  metrics.requestFinished(record(hit));
  metrics.requestFinished(record({ ...hit, cacheMatch: 'exact', firstByteMs: null }));
  const counts = await scrape(metrics);
  expect(await valuesOf(metrics, 'switchyard_cache_hits_total')).toEqual({ 'quick semantic': 1, 'quick exact': 1 });
  expect(await valuesOf(metrics, 'switchyard_requests_total')).toEqual({ 'openai-chat quick  200 ': 2 });
  expect(await valuesOf(metrics, 'switchyard_cache_saved_tokens_total')).toMatchObject({
    'quick input': 14,
    'quick output': 6,
  });
  expect(await valuesOf(metrics, 'switchyard_cache_saved_units_total')).toEqual({ 'quick web_search': 2 });
  const ofChannels = ['tokens_total', 'billed_units_total', 'request_duration_seconds', 'request_first_byte_seconds'];
  for (const name of ofChannels) expect(counts.get(`switchyard_${name}`)?.samples ?? []).toEqual([]);
});

test('requests that differ in one label are counted separately, in any order', async () => {
  const metrics = new PrometheusMetrics();
  const changes: Partial<RequestRecord>[] = [
    {},
    { format: 'gemini' },
    { modelId: 'slow' },
    { modelId: null },
    { channelId: 'spare' },
    { channelId: null },
    { status: 500 },
    { errorCode: 'upstream_error' },
    { stream: true },
    { cacheMatch: 'exact' },
    { cacheMatch: 'semantic' },
  ];
  for (const first of changes)
    for (const second of changes) for (const one of [first, second]) metrics.requestFinished(record(one));
  const each = 2 * changes.length;
  const requests = await valuesOf(metrics, 'switchyard_requests_total');
  // Streams have no label here, and cached answers have no channel.
  expect(Object.values(requests).sort((a, b) => a - b)).toEqual([...Array(6).fill(each), 2 * each, 3 * each]);
  const hits = await valuesOf(metrics, 'switchyard_cache_hits_total');
  expect(Object.values(hits)).toEqual([each, each]);
});

test('the cache is measured at each scrape, by place of its entries', async () => {
  const metrics = new PrometheusMetrics();
  const memory = { entries: 2, bytes: 20 };
  cacheGauges(metrics.registry, { statistics: () => ({ memory, beyond: null }) }, null);
  expect(await valuesOf(metrics, 'switchyard_cache_bytes')).toEqual({ memory: 20 });
  memory.bytes = 10;
  expect(await valuesOf(metrics, 'switchyard_cache_bytes')).toEqual({ memory: 10 });
  expect((await scrape(metrics)).has('switchyard_cache_questions')).toBe(false);
});

test('attempts are counted by channel and outcome, and every outcome begins at 0', async () => {
  const metrics = new PrometheusMetrics();
  metrics.attemptFinished(attempt());
  metrics.attemptFinished(attempt());
  metrics.attemptFinished(attempt({ outcome: 'abandoned', kind: 'client_gone' }));
  metrics.attemptFinished(failed('http_503', 'spare'));
  expect(await valuesOf(metrics, 'switchyard_attempts_total')).toEqual({
    'main answered': 2,
    'main failed': 0,
    'main abandoned': 1,
    'spare answered': 0,
    'spare failed': 1,
    'spare abandoned': 0,
  });
});

test('failed attempts are counted by kind, and the kinds add up to the failed ones', async () => {
  const metrics = new PrometheusMetrics();
  for (const kind of ['http_503', 'reset', 'http_503', null]) metrics.attemptFinished(failed(kind));
  metrics.attemptFinished(attempt({ outcome: 'abandoned', kind: 'client_gone', firstByteMs: null }));
  expect(await valuesOf(metrics, 'switchyard_attempt_failures_total')).toEqual({
    'main http_503': 2,
    'main reset': 1,
    'main unknown': 1,
  });
  expect(await valuesOf(metrics, 'switchyard_attempts_total')).toMatchObject({ 'main failed': 4 });
});

test('the time to the first byte is in seconds, and an attempt without one does not count', async () => {
  const metrics = new PrometheusMetrics();
  metrics.attemptFinished(attempt({ firstByteMs: 20 }));
  metrics.attemptFinished(attempt({ firstByteMs: 400_000, outcome: 'failed', kind: 'idle_timeout' }));
  metrics.attemptFinished(failed('http_503'));
  const samples = (await scrape(metrics)).get('switchyard_attempt_first_byte_seconds')?.samples ?? [];
  const sampleOf = (suffix: string, le?: string) =>
    samples.find(({ name, labels }) => name.endsWith(suffix) && labels.le === le)?.value;
  expect([sampleOf('_bucket', '0.01'), sampleOf('_bucket', '0.025'), sampleOf('_bucket', '300')]).toEqual([0, 1, 1]);
  expect([sampleOf('_bucket', '+Inf'), sampleOf('_count'), sampleOf('_sum')]).toEqual([2, 2, 400.02]);
  expect(samples.every(({ labels }) => labels.channel === 'main')).toBe(true);
});

test('the gauges are read from the source at each scrape', async () => {
  const source = new Readings();
  const metrics = new PrometheusMetrics(source);
  source.ofModels = [reading('a', 'm', 'closed'), reading('b', 'm', 'half-open'), reading('b', 'n', 'open')];
  source.ofChannels = [
    { channelId: 'a', isUsable: true, inFlight: 3 },
    { channelId: 'b', isUsable: false, inFlight: 0 },
  ];
  const breakers = () => valuesOf(metrics, 'switchyard_channel_breaker_state');
  expect(await breakers()).toEqual({ 'a m': 0, 'b m': 1, 'b n': 2 });
  expect(await valuesOf(metrics, 'switchyard_channel_in_flight')).toEqual({ a: 3, b: 0 });
  expect(await valuesOf(metrics, 'switchyard_channel_up')).toEqual({ a: 1, b: 0 });
  source.ofModels = [reading('a', 'm', 'open')];
  expect(await breakers()).toEqual({ 'a m': 2 });
});

test('a removed channel disappears from the gauges, and its counters stay', async () => {
  const source = new Readings();
  const metrics = new PrometheusMetrics(source);
  source.ofModels = [reading('gone', 'm', 'closed')];
  source.ofChannels = [{ channelId: 'gone', isUsable: true, inFlight: 1 }];
  metrics.attemptFinished(attempt({ channelId: 'gone' }));
  expect(await valuesOf(metrics, 'switchyard_channel_up')).toEqual({ gone: 1 });
  source.ofModels = [];
  source.ofChannels = [];
  for (const gauge of ['breaker_state', 'in_flight', 'up'])
    expect(await valuesOf(metrics, `switchyard_channel_${gauge}`)).toEqual({});
  expect(await valuesOf(metrics, 'switchyard_attempts_total')).toMatchObject({ 'gone answered': 1 });
});

test('names chosen by accounts create no series', async () => {
  const source = new Readings();
  const metrics = new PrometheusMetrics(source);
  source.inFlight = 7;
  const names = async () => {
    const families = await scrape(metrics);
    const labels = [...families.values()].flatMap(({ samples }) => samples.map((sample) => sample.labels));
    return new Set(labels.flatMap(({ channel, model }) => [channel, model].filter((name) => name !== undefined)));
  };
  for (const number of [1, 2, 3]) {
    const finished = record({ modelId: `own-model-${number}`, channelId: `own-${number}` });
    metrics.requestStarted();
    metrics.requestFinished(finished);
    metrics.requestStarted();
    metrics.requestFinished({ ...finished, cacheMatch: 'exact' });
    metrics.attemptFinished(failed('http_503', `own-${number}`));
    metrics.chargeHeld({ modelId: `own-model-${number}`, channelId: `own-${number}` });
    metrics.taskPolled({ provider: 'fal', channelId: `own-${number}`, kind: null });
    metrics.cache.cacheMissed(`own-model-${number}`);
  }
  expect(await names()).toEqual(new Set(['PRIVATE', '']));
  expect(await valuesOf(metrics, 'switchyard_attempts_total')).toMatchObject({ 'PRIVATE failed': 3 });
  expect(await valuesOf(metrics, 'switchyard_channel_in_flight')).toEqual({ PRIVATE: 7 });
});

test('upstreams of accounts create no series by their statuses and providers', async () => {
  const metrics = new PrometheusMetrics(new Readings());
  for (const [index, provider] of ['openai', 'xai'].entries()) {
    const kind = `http_${418 + index}`;
    metrics.attemptFinished(failed(kind, 'own-1'));
    metrics.taskPolled({ provider: 'fal', channelId: 'own-1', kind });
    const failedAttempts = [{ channelId: 'own-1', provider, kind, latencyMs: 5 }];
    metrics.requestStarted();
    metrics.requestFinished(record({ modelId: 'm', channelId: 'own-1', provider, failedAttempts }));
  }
  expect(await valuesOf(metrics, 'switchyard_attempt_failures_total')).toEqual({ 'PRIVATE http_4xx': 2 });
  expect(await valuesOf(metrics, 'switchyard_task_polls_total')).toEqual({ 'fal PRIVATE http_4xx': 2 });
  const families = await scrape(metrics);
  const durations = families.get('gen_ai_client_operation_duration_seconds')?.samples ?? [];
  expect(new Set(durations.map(({ labels }) => labels.gen_ai_provider_name))).toEqual(new Set(['PRIVATE']));
  expect(new Set(durations.map(({ labels }) => labels.error_type))).toEqual(new Set(['', 'http_4xx']));
});

test('of a gauge with too many series, the worst ones are kept', async () => {
  const source = new Readings();
  const metrics = new PrometheusMetrics(source);
  source.ofUsable = Array.from({ length: 1_500 }, (_, index) => ({ modelId: `m${index}`, channels: 1_499 - index }));
  source.ofModels = source.ofUsable.map(({ modelId, channels }) =>
    reading('c', modelId, channels === 0 ? 'open' : 'closed'),
  );
  expect((await valuesOf(metrics, 'switchyard_model_channels_usable')).m1499).toBe(0);
  expect((await valuesOf(metrics, 'switchyard_channel_breaker_state'))['c m1499']).toBe(2);
});

test('the help text of the breaker explains its numbers', async () => {
  const families = await scrape(new PrometheusMetrics(new Readings()));
  expect(families.get('switchyard_channel_breaker_state')?.help).toContain('0 closed, 1 half-open, 2 open');
  expect(families.get('switchyard_channel_up')?.help).toContain('0 blocked');
});

test('without a source there are counters and no gauges of channels', async () => {
  const families = await scrape(new PrometheusMetrics());
  const gauges = ['breaker_state', 'in_flight', 'up'].filter((gauge) => families.has(`switchyard_channel_${gauge}`));
  expect(gauges).toEqual([]);
  expect(families.get('switchyard_attempts_total')?.type).toBe('counter');
});

test('labels with quotes, backslashes, line ends and other scripts survive a round trip', async () => {
  const ids = ['say "hi"', 'back\\slash', 'two\nlines', '\\n', 'end\\', 'a="b",c="d"} 1', 'канал 渠道', ''];
  const source = new Readings();
  const metrics = new PrometheusMetrics(source);
  source.ofModels = ids.map((id) => reading(id, id, 'open'));
  source.ofChannels = ids.map((channelId) => ({ channelId, isUsable: true, inFlight: 1 }));
  for (const id of ids) metrics.attemptFinished(failed(id, id));
  const families = await scrape(metrics);
  const labelsOf = (family: string, label: string) =>
    families.get(`switchyard_${family}`)?.samples.map(({ labels }) => labels[label]);
  for (const family of ['attempt_failures_total', 'channel_breaker_state', 'channel_in_flight', 'channel_up'])
    expect(labelsOf(family, 'channel')).toEqual(ids);
  expect(labelsOf('channel_breaker_state', 'model')).toEqual(ids);
  expect(labelsOf('attempt_failures_total', 'kind')).toEqual(ids);
});

test('a channel that is named twice has one series, with the last reading', async () => {
  const source = new Readings();
  source.ofModels = [reading('a', 'm', 'closed'), reading('a', 'n', 'closed'), reading('a', 'm', 'open')];
  source.ofChannels = [
    { channelId: 'a', isUsable: true, inFlight: 1 },
    { channelId: 'a', isUsable: true, inFlight: 2 },
  ];
  // Joined with commas, these two label sets would be equal.
  source.ofModels.push(reading('x', 'y,z', 'closed'), reading('x,y', 'z', 'open'));
  const metrics = new PrometheusMetrics(source);
  expect(await valuesOf(metrics, 'switchyard_channel_breaker_state')).toEqual({
    'a m': 2,
    'a n': 0,
    'x y,z': 0,
    'x,y z': 2,
  });
  expect(await valuesOf(metrics, 'switchyard_channel_in_flight')).toEqual({ a: 2 });
});

test('the process is reported without metrics that need a heap walk', async () => {
  const names = [...(await scrape(new PrometheusMetrics())).keys()];
  expect(names).toContain('nodejs_heap_size_used_bytes');
  expect(names.filter((name) => name.startsWith('nodejs_heap_space'))).toEqual([]);
});
