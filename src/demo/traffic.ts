import { createHash } from 'node:crypto';
import type { CacheMatch } from '../domain/cache/cache.ts';
import type { Loss } from '../domain/exchange/loss.ts';
import type { PriceSheet } from '../domain/money/price-sheet.ts';
import type { Charge } from '../engine/ports/ledger.ts';
import type { FailedAttempt, RequestRecord } from '../engine/ports/request-log.ts';
import { answerOf, type DemoAnswer } from './answers.ts';
import { Chance } from './chance.ts';
import { PRIVATE_CHANNEL } from './channels.ts';
import { CUSTOMERS, type Customer, type DemoKey } from './customers.ts';
import { busyness, DAY_MS, type DemoTime, HOUR_MS } from './demo-time.ts';
import { failureTexts } from './failure-texts.ts';
import { Incidents } from './incidents.ts';
import { answeredTimes, failedAttempt, failedTimes, NO_TIMES } from './line-times.ts';
import { DEMO_MODELS, type DemoModel, UPSTREAM_NAMES } from './models.ts';
import { type DemoRefusal, refusalOf, refused } from './refusals.ts';

/** One request as the log and the ledger record it. */
export interface DemoCall {
  readonly record: RequestRecord;
  readonly charge: Charge | null;
}

export interface TrafficOptions {
  readonly time: DemoTime;
  readonly seed: string;
  /** The approximate number of requests. */
  readonly requests: number;
  /** Returns the prices by public model id; `null` if unknown. */
  readonly prices: (modelId: string) => PriceSheet | null;
  /** Returns the provider of a channel. */
  readonly providerOf: (channelId: string) => string;
}

const FORMATS = {
  embedding: 'openai-embeddings',
  image: 'openai-images',
  speech: 'openai-speech',
  transcription: 'openai-transcriptions',
} as const;

/** How often the entries behind cached answers change. */
export const CACHE_EPOCH_MS = 2 * DAY_MS;
export const ENTRIES_OF_EPOCH = 9;

/** The upstream cost of the demo's channels, as a percentage of the price. */
const UPSTREAM_PERCENT = 72n;

export function cacheEntryName(accountId: string, modelId: string, epoch: number, slot: number): string {
  return `demo ${accountId} ${modelId} ${epoch} ${slot}`;
}

export function cacheEntryId(name: string): string {
  return `ce_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** Yields the requests of all accounts in order. The same options yield the same requests. */
export function* demoTraffic(options: TrafficOptions): Generator<DemoCall> {
  const { time, seed } = options;
  const chance = new Chance(`traffic ${seed}`);
  const maker = new CallMaker(options, chance);
  const first = Math.floor(time.fromMs / HOUR_MS) * HOUR_MS;
  const perWeight = weights(time, first);
  for (let hourMs = first; hourMs < time.nowMs; hourMs += HOUR_MS) {
    const calls: DemoCall[] = [];
    for (const customer of CUSTOMERS) {
      const flooded = maker.incidents.isFlooded(customer.id, hourMs) ? 3 : 1;
      const scale = options.requests * customer.share * (perWeight.get(customer.id) ?? 0);
      const count = chance.count(scale * weightOf(customer, time, hourMs) * chance.between(0.8, 1.2) * flooded);
      for (let index = 0; index < count; index++) {
        const call = maker.call(customer, hourMs + chance.next() * HOUR_MS);
        if (call !== null) calls.push(call);
      }
    }
    yield* calls.sort((one, other) => one.record.atMs - other.record.atMs);
  }
}

function weightOf({ rhythm, zone, growth }: Customer, time: DemoTime, hourMs: number): number {
  return busyness(rhythm, zone, hourMs) * (1 + (growth - 1) * time.partOf(hourMs));
}

/** Returns, per account, the share of its traffic per unit of `weightOf`. */
function weights(time: DemoTime, first: number): ReadonlyMap<string, number> {
  const parts = new Map<string, number>();
  for (const customer of CUSTOMERS) {
    let sum = 0;
    for (let hourMs = first; hourMs < time.nowMs; hourMs += HOUR_MS) sum += weightOf(customer, time, hourMs);
    parts.set(customer.id, sum === 0 ? 0 : 1 / sum);
  }
  return parts;
}

interface Begun {
  readonly requestId: string;
  readonly atMs: number;
  readonly customer: Customer;
  readonly key: DemoKey;
  readonly modelId: string;
  readonly model: DemoModel;
  readonly format: string;
  readonly stream: boolean;
  readonly tags: readonly string[];
}

/** The result of the attempts. */
interface Tried {
  readonly channelId: string | null;
  readonly failedAttempts: readonly FailedAttempt[];
  readonly waitedMs: number;
  readonly slowness: number;
  readonly refusal: DemoRefusal | null;
}

class CallMaker {
  readonly incidents: Incidents;

  constructor(
    private readonly options: TrafficOptions,
    private readonly chance: Chance,
  ) {
    this.incidents = new Incidents(options.time);
  }

  /** Returns `null` if there is no request at that time, or it would end after now. */
  call(customer: Customer, atMs: number): DemoCall | null {
    const { time } = this.options;
    if (atMs < time.fromMs || (customer.archivedAt ?? 1) < time.partOf(atMs)) return null;
    const begun = this.begin(customer, Math.floor(atMs));
    const made = begun === null ? null : this.ended(begun);
    return made !== null && made.record.atMs + made.record.latencyMs < time.nowMs ? made : null;
  }

  private begin(customer: Customer, atMs: number): Begun | null {
    const { chance, options } = this;
    const part = options.time.partOf(atMs);
    const keys = customer.keys.filter(
      ({ madeAt = 0, revokedAt = 1, expiresAt = 1 }) => madeAt <= part && part < revokedAt && part < expiresAt,
    );
    const modelId = chance.weighted(customer.models);
    const model = DEMO_MODELS[modelId];
    if (keys.length === 0 || model === undefined) return null;
    const { kind } = model.profile;
    const tagged = Object.entries(customer.tags).filter(() => chance.happens(0.86));
    return {
      requestId: chance.requestId(atMs),
      ...{ atMs, customer, modelId, model },
      key: chance.weighted(keys.map((key) => [key, key.weight] as const)),
      format: kind === 'chat' ? chance.weighted(customer.formats) : FORMATS[kind],
      stream: kind === 'chat' && chance.happens(customer.streams),
      tags: tagged.map(([name, values]) => `${name}=${chance.one(values)}`),
    };
  }

  private ended(begun: Begun): DemoCall {
    const { chance, incidents } = this;
    const { time } = this.options;
    const { customer, key, atMs, model } = begun;
    const refusal = refusalOf(chance, { customer, key, atMs, time, incidents });
    if (refusal !== null) return { record: this.refusedRecord(begun, refusal), charge: null };
    const mayBeCached = model.profile.kind === 'chat' || model.profile.kind === 'embedding';
    if (mayBeCached && chance.happens(customer.cached)) return { record: this.cachedRecord(begun), charge: null };
    const tried = this.tryChannels(begun);
    if (tried.refusal !== null) return { record: this.failedRecord(begun, tried, tried.refusal), charge: null };
    const { slowness } = tried;
    const answer = answerOf(chance, { profile: model.profile, customer, stream: begun.stream, slowness });
    return this.answered(begun, tried, answer);
  }

  /** Returns a model's channels in order. */
  private waysOf({ customer, model, modelId, atMs }: Begun): readonly string[] {
    if (customer.id === 'ferryline' && modelId === 'claude-sonnet-5-5') return [PRIVATE_CHANNEL];
    const inOrder = model.ways.flatMap((place) => {
      const [first = '', ...others] = place;
      return this.chance.happens(0.75) ? [first, ...others] : [...others, first];
    });
    return inOrder.filter((id) => !this.incidents.isBlocked(id, atMs));
  }

  private tryChannels(begun: Begun): Tried {
    const { chance } = this;
    const failedAttempts: FailedAttempt[] = [];
    let waitedMs = chance.between(1, 4);
    let channelId: string | null = null;
    const ways = this.waysOf(begun);
    for (const id of ways) {
      channelId = id;
      const { fails, kind, slowness } = this.incidents.troubleOf(id, begun.atMs);
      if (!chance.happens(fails)) return { channelId, failedAttempts, waitedMs, slowness, refusal: null };
      const failed = kind ?? chance.weighted(USUAL_FAILURES);
      const latencyMs = Math.round(chance.spread(failed.includes('timeout') ? 20_000 : 260, 0.5));
      failedAttempts.push(failedAttempt(id, failed, latencyMs, waitedMs));
      waitedMs += latencyMs + chance.between(0, 12);
    }
    const last = failedAttempts.at(-1)?.kind ?? 'no_channel_available';
    return { channelId, failedAttempts, waitedMs, slowness: 1, refusal: refusalAfter(last, ways.length) };
  }

  private answered(begun: Begun, tried: Tried, answer: DemoAnswer): DemoCall {
    const { requestId, atMs, customer, key, modelId, tags } = begun;
    const channelId = tried.channelId ?? '';
    const isPrivate = channelId === PRIVATE_CHANNEL;
    const tariff = this.options.prices(modelId)?.tariffFor(answer.billable, atMs);
    const costNanoUsd = isPrivate ? 0n : (tariff?.costNanoUsd(answer.billable) ?? null);
    const applied = isPrivate ? { prices: {}, feeNanoUsd: '0' } : tariff?.appliedTo(answer.billable);
    const latencyMs = Math.round(tried.waitedMs + answer.latencyMs);
    const losses = this.lossesOf(begun, channelId);
    const { upstreamCostNanoUsd: _none, ...common } = this.recordOf(begun, tried);
    const record: RequestRecord = {
      ...common,
      isPrivate,
      status: 200,
      clientGone: answer.clientGone,
      latencyMs,
      firstByteMs: Math.round(tried.waitedMs + answer.firstByteMs),
      billable: answer.billable,
      costNanoUsd,
      upstreamRequestId: `demo-${this.chance.hex(16)}`,
      ...(losses.length > 0 && { losses }),
      ...(applied !== undefined && { applied }),
      ...(costNanoUsd !== null && { upstreamCostNanoUsd: (costNanoUsd * UPSTREAM_PERCENT) / 100n }),
      times: answeredTimes(tried.waitedMs, answer.firstByteMs, latencyMs),
    };
    if (costNanoUsd === null || costNanoUsd === 0n) return { record, charge: null };
    const charge: Charge = {
      ...{ requestId, accountId: customer.id, keyId: key.id, costNanoUsd, fromAccountLease: 0n, fromKeyLease: 0n },
      atMs: atMs + latencyMs,
      usage: { modelId, channelId, status: 200, tags },
    };
    return { record, charge };
  }

  private failedRecord(begun: Begun, tried: Tried, refusal: DemoRefusal): RequestRecord {
    const { code, kind, status } = refusal;
    return {
      ...this.recordOf(begun, tried),
      ...{ status, errorCode: code, failureKind: kind, ...textsOf(refusal, begun, tried) },
      latencyMs: Math.round(tried.waitedMs),
      times: failedTimes(tried.failedAttempts.at(-1)),
      upstreamRequestId: `demo-${this.chance.hex(16)}`,
    };
  }

  private refusedRecord(begun: Begun, refusal: DemoRefusal): RequestRecord {
    const { code, kind, status } = refusal;
    const tried = { channelId: null, failedAttempts: [], waitedMs: 0, slowness: 1, refusal: null };
    const latencyMs = Math.round(this.chance.between(1, 7));
    const modelId = code === 'model_not_found' || code === 'invalid_json' ? null : begun.modelId;
    return {
      ...this.recordOf(begun, tried),
      modelId,
      status,
      errorCode: code,
      failureKind: kind,
      ...textsOf(refusal, begun, tried),
      latencyMs,
      times: NO_TIMES,
    };
  }

  private cachedRecord(begun: Begun): RequestRecord {
    const { chance } = this;
    const { customer, modelId, model, atMs } = begun;
    const [channelId = null] = this.waysOf(begun);
    const answer = answerOf(chance, { profile: model.profile, customer, stream: false, slowness: 1 });
    const cacheMatch: CacheMatch = chance.weighted([
      ['exact', model.profile.kind === 'chat' ? 68 : 100],
      ['semantic', model.profile.kind === 'chat' ? 28 : 0],
      ['coalesced', 4],
    ]);
    const slot = Math.floor(chance.next() ** 2 * ENTRIES_OF_EPOCH);
    const name = cacheEntryName(customer.id, modelId, Math.floor(atMs / CACHE_EPOCH_MS), slot);
    const latencyMs = Math.round(cacheMatch === 'exact' ? chance.between(1, 5) : chance.between(14, 60));
    const tariff = this.options.prices(modelId)?.tariffFor(answer.billable, atMs);
    const applied = tariff?.appliedTo(answer.billable);
    const savedNanoUsd = channelId === PRIVATE_CHANNEL ? 0n : (tariff?.costNanoUsd(answer.billable) ?? 0n);
    return {
      ...this.recordOf(begun, { channelId, failedAttempts: [], waitedMs: 0, slowness: 1, refusal: null }),
      ...{ status: 200, latencyMs, firstByteMs: latencyMs, billable: answer.billable },
      ...(applied !== undefined && { applied: { ...applied, percent: 0 } }),
      ...(savedNanoUsd > 0n && { savedNanoUsd }),
      times: { ...NO_TIMES, admittedMs: 0, lookedUpMs: latencyMs, answeredMs: latencyMs },
      ...{ cacheMatch, cacheEntryId: cacheEntryId(name) },
    };
  }

  /** Returns the common fields of a record, for a request without cost. */
  private recordOf(begun: Begun, { channelId, failedAttempts, refusal }: Tried): RequestRecord {
    const { requestId, atMs, customer, key, format, modelId, stream, tags } = begun;
    const attempts = failedAttempts.length - (refusal === null ? 0 : 1);
    return {
      ...{ requestId, atMs, accountId: customer.id, keyId: key.id, format, modelId, channelId, stream, failedAttempts },
      provider: channelId === null ? null : this.options.providerOf(channelId),
      upstreamModel: channelId === null ? null : (UPSTREAM_NAMES[channelId]?.[modelId] ?? modelId),
      answerModel: null,
      ...{ status: 0, errorCode: null, failureKind: null, clientGone: false, isPrivate: false },
      retryCount: Math.max(0, attempts),
      ...{ latencyMs: 0, firstByteMs: null, billable: null, costNanoUsd: 0n, upstreamRequestId: null },
      ...{ cacheMatch: null, cacheEntryId: null, upstreamCostNanoUsd: 0n },
      ...(tags.length > 0 && { tags, summedTags: tags }),
    };
  }

  private lossesOf({ format }: Begun, channelId: string): readonly Loss[] {
    const isOwn = OWN_FORMATS[format]?.includes(channelId) ?? true;
    return isOwn || !this.chance.happens(0.12) ? [] : [this.chance.one(LOSSES)];
  }
}

function textsOf(refusal: DemoRefusal, { modelId, key }: Begun, { failedAttempts }: Pick<Tried, 'failedAttempts'>) {
  return failureTexts(refusal, { modelId, requestsPerMinute: key.requestsPerMinute, failedAttempts });
}

const USUAL_FAILURES: readonly (readonly [string, number])[] = [
  ['http_503', 30],
  ['http_500', 24],
  ['http_429', 22],
  ['reset', 12],
  ['first_byte_timeout', 12],
];

/** The channels that support a format natively, without losses. */
const OWN_FORMATS: Readonly<Record<string, readonly string[]>> = {
  'anthropic-messages': ['anthropic', 'ferryline-claude'],
  gemini: ['gemini'],
  'openai-responses': ['openai', 'openai-eu'],
};

const LOSSES: readonly Loss[] = [
  { field: 'top_k', verdict: 'dropped', why: 'the upstream format does not support this parameter' },
  { field: 'metadata.user_id', verdict: 'dropped', why: 'the upstream format does not support this field' },
  { field: 'reasoning.summary', verdict: 'dropped', why: 'the upstream gives no summaries of its reasoning' },
  { field: 'thinking.budget_tokens', verdict: 'approximated', why: 'sent as the nearest level of effort' },
];

function refusalAfter(kind: string, ways: number): DemoRefusal {
  if (ways === 0) return refused('all_channels_failed', 'no_channel_available');
  if (ways > 1) return refused('all_channels_failed', 'all_channels_failed');
  if (kind === 'http_429') return refused('rate_limit_exceeded', kind);
  if (kind.includes('timeout')) return refused('timeout_error', kind);
  return refused('upstream_error', kind);
}
