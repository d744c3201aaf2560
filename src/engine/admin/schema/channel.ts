import { z } from 'zod';
import {
  type Channel,
  type ChannelTimeouts,
  DEFAULT_TIMEOUTS,
  type ModelTimeouts,
} from '../../../domain/catalog/channel.ts';
import { MOST_CHANNEL_MODELS } from '../../../domain/catalog/channel-bounds.ts';
import {
  type ChannelLimits,
  DEFAULT_QUEUE,
  type QueueSettings,
  type UpstreamLimits,
} from '../../../domain/catalog/channel-limits.ts';
import type { ModelPricing } from '../../../domain/catalog/model.ts';
import { type BreakerSettings, DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { flag, integer, listOf, MAP, mapOf, number } from '../../../providers/shared/file-fields.ts';
import { pricing, pricingFrom } from '../../../providers/shared/price-syntax.ts';
import type { ConfiguredChannel } from '../configuration/configuration.ts';
import { channelKey } from './channel-key.ts';
import { forwardedIds, identifier, milliseconds, modelId, name, pricingFields } from './fields.ts';
import { upstreamKeyFields, upstreamKeyFrom, upstreamKeysSchema } from './upstream-keys.ts';

const MOST_SETTINGS = 100;

/** Who runs the lines of batches: the gateway itself, or the provider's batches. */
export const CHANNEL_BATCHES = ['own', 'relay'] as const;

export const LOWEST_PRIORITY = -1_000_000;
export const HIGHEST_PRIORITY = 1_000_000_000;

export const modelTimeoutsSchema = z.strictObject(
  {
    connect_ms: milliseconds.nullish(),
    first_byte_ms: milliseconds.nullish(),
    idle_ms: milliseconds.nullish(),
    first_event_ms: milliseconds.nullish(),
    event_idle_ms: milliseconds.nullish(),
    total_ms: milliseconds.nullish(),
  },
  MAP,
);
export const timeoutsSchema = modelTimeoutsSchema.extend({
  models: mapOf(
    modelId,
    modelTimeoutsSchema,
    'must be a map from public model ids to timeouts',
    MOST_CHANNEL_MODELS,
  ).nullish(),
});

const requestLimit = integer('must be a whole number from 1 to 1000000000', 1, 1_000_000_000);
const upstreamLimits = {
  max_concurrent: requestLimit.nullish(),
  requests_per_minute: requestLimit.nullish(),
  tokens_per_minute: integer('must be a whole number from 1 to 1000000000000', 1, 1_000_000_000_000).nullish(),
};
export const limitsSchema = z.strictObject(
  {
    ...upstreamLimits,
    models: mapOf(
      modelId,
      z.strictObject(upstreamLimits, MAP),
      'must be a map from public model ids to limits',
      MOST_CHANNEL_MODELS,
    ).nullish(),
  },
  MAP,
);

const maxWaiting = integer('must be a whole number from 0 to 10000', 0, 10_000);
export const queueSchema = z.strictObject(
  { max_waiting: maxWaiting.nullish(), max_wait_ms: milliseconds.nullish() },
  MAP,
);
/** A channel that states how long requests wait has to state how many may. */
const channelQueueSchema = queueSchema.extend({ max_waiting: maxWaiting });

export const breakerSchema = z
  .strictObject(
    {
      window_ms: integer('must be a number of milliseconds from 100 to 3600000', 100, 3_600_000).nullish(),
      failure_rate: number('must be a number from 0.01 to 1', 0.01, 1).nullish(),
      minimum_requests: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
      cooldown_ms: milliseconds.nullish(),
      max_cooldown_ms: milliseconds.nullish(),
      probes: integer('must be a whole number from 1 to 1000', 1, 1000).nullish(),
    },
    MAP,
  )
  .superRefine((breaker, context) => {
    const cooldownMs = breaker.cooldown_ms ?? DEFAULT_BREAKER.cooldownMs;
    const maxCooldownMs = breaker.max_cooldown_ms ?? DEFAULT_BREAKER.maxCooldownMs;
    if (cooldownMs <= maxCooldownMs) return;
    const [path, message] =
      breaker.max_cooldown_ms == null
        ? ['cooldown_ms', `must be at most max_cooldown_ms, which is ${maxCooldownMs}`]
        : ['max_cooldown_ms', `must be at least cooldown_ms, which is ${cooldownMs}`];
    context.addIssue({ code: 'custom', path: [path], message });
  });

/** A channel to an upstream, as configuration files and the verbs of administration write it (docs/channels.md). */
export const channelSchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    provider: z.string({ error: 'must be the name of a provider' }),
    base_url: z
      .string({ error: 'must be an http:// or https:// URL' })
      .transform((value, context) => {
        const problem = addressProblem(value);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
        return value.replace(/\/+$/, '');
      })
      .nullish(),
    api_key: channelKey.nullish(),
    api_keys: upstreamKeysSchema.nullish(),
    settings: mapOf(z.string(), z.unknown(), MAP.error, MOST_SETTINGS).nullish(),
    formats: listOf(z.string({ error: 'must be the name of a format' }), 'formats')
      .min(1, { error: 'must name at least one format; leave it out to use all' })
      .nullish(),
    priority: integer('must be a whole number from -1000000 to 1000000', LOWEST_PRIORITY, HIGHEST_PRIORITY).nullish(),
    weight: number('must be a number from 0.001 to 1000000000', 0.001, 1_000_000_000).nullish(),
    owner: identifier.nullish(),
    timeouts: timeoutsSchema.nullish(),
    models: z.union(
      [
        listOf(modelId, 'models', MOST_CHANNEL_MODELS).min(1, { error: 'must name at least one model' }),
        mapOf(modelId, modelId, MAP.error, MOST_CHANNEL_MODELS).refine((models) => Object.keys(models).length > 0, {
          error: 'must name at least one model',
        }),
      ],
      { error: 'must be a list of model ids, or a map from public to upstream ids' },
    ),
    costs: mapOf(modelId, pricing, 'must be a map from public model ids to prices', MOST_CHANNEL_MODELS).nullish(),
    breaker: breakerSchema.nullish(),
    forward_ids: forwardedIds.nullish(),
    limits: limitsSchema.nullish(),
    queue: channelQueueSchema.nullish(),
    follow_provider_limits: flag.nullish(),
    batches: z.enum(CHANNEL_BATCHES, { error: 'must be own or relay' }).nullish(),
  },
  MAP,
);

function addressProblem(value: string): string | null {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value)) return 'must be an http:// or https:// URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password: use api_key';
  if (url.search !== '' || url.hash !== '') return 'must not contain a query or fragment';
  return null;
}

type FileChannel = z.output<typeof channelSchema>;

/** Returns a checked channel with every default filled in. */
export function channelFrom(channel: FileChannel, providers: Providers): ConfiguredChannel {
  const { models } = channel;
  return {
    id: channel.id,
    name: channel.name ?? channel.id,
    provider: channel.provider,
    baseUrl: channel.base_url ?? null,
    apiKey: channel.api_key ?? null,
    ...(channel.api_keys != null && { apiKeys: channel.api_keys.map(upstreamKeyFrom) }),
    settings: settingsFrom(channel, providers),
    formats: channel.formats ?? null,
    priority: channel.priority ?? 0,
    weight: channel.weight ?? 1,
    owner: channel.owner ?? null,
    timeouts: timeoutsFrom(channel.timeouts ?? {}),
    models: Array.isArray(models) ? Object.fromEntries(models.map((id) => [id, id])) : models,
    costs: costsFrom(channel.costs ?? {}),
    breaker: breakerFrom(channel.breaker ?? {}),
    forwardIds: channel.forward_ids ?? null,
    limits: channel.limits ? limitsFrom(channel.limits) : null,
    queue: channel.queue ? queueFrom(channel.queue) : null,
    followsProviderLimits: channel.follow_provider_limits ?? true,
    relaysBatches: channel.batches === 'relay',
  };
}

/** Returns `null` if nothing is limited, so that requests need not ask. */
function limitsFrom({ models, ...own }: z.output<typeof limitsSchema>): ChannelLimits | null {
  const ofModels = Object.entries(models ?? {}).map(([id, limits]) => [id, upstreamLimitsFrom(limits)] as const);
  const limited = ofModels.filter(([, limits]) => isLimiting(limits));
  const limits = { ...upstreamLimitsFrom(own), models: Object.fromEntries(limited) };
  return isLimiting(limits) || limited.length > 0 ? limits : null;
}

function upstreamLimitsFrom(limits: Omit<z.output<typeof limitsSchema>, 'models'>): UpstreamLimits {
  return {
    maxConcurrent: limits.max_concurrent ?? null,
    requestsPerMinute: limits.requests_per_minute ?? null,
    tokensPerMinute: limits.tokens_per_minute ?? null,
  };
}

function isLimiting({ maxConcurrent, requestsPerMinute, tokensPerMinute }: UpstreamLimits): boolean {
  return maxConcurrent !== null || requestsPerMinute !== null || tokensPerMinute !== null;
}

export function queueFrom(queue: z.output<typeof queueSchema>): QueueSettings {
  return {
    maxWaiting: queue.max_waiting ?? DEFAULT_QUEUE.maxWaiting,
    maxWaitMs: queue.max_wait_ms ?? DEFAULT_QUEUE.maxWaitMs,
  };
}

type FileTimeouts = NonNullable<FileChannel['timeouts']>;

function timeoutsFrom(timeouts: FileTimeouts): ChannelTimeouts {
  const own = timeoutsOver(DEFAULT_TIMEOUTS, timeouts);
  const ofModels = Object.entries(timeouts.models ?? {});
  return { ...own, models: Object.fromEntries(ofModels.map(([modelId, one]) => [modelId, timeoutsOver(own, one)])) };
}

/** Returns the timeouts. `first_byte_ms` and `idle_ms` also apply to streams unless those have values of their own. */
function timeoutsOver(base: ModelTimeouts, timeouts: Omit<FileTimeouts, 'models'>): ModelTimeouts {
  return {
    connectMs: timeouts.connect_ms ?? base.connectMs,
    firstByteMs: timeouts.first_byte_ms ?? base.firstByteMs,
    idleMs: timeouts.idle_ms ?? base.idleMs,
    firstEventMs: timeouts.first_event_ms ?? timeouts.first_byte_ms ?? base.firstEventMs,
    eventIdleMs: timeouts.event_idle_ms ?? timeouts.idle_ms ?? base.eventIdleMs,
    totalMs: timeouts.total_ms ?? base.totalMs,
  };
}

function costsFrom(costs: NonNullable<FileChannel['costs']>): Readonly<Record<string, ModelPricing>> {
  return Object.fromEntries(Object.entries(costs).map(([modelId, cost]) => [modelId, pricingFrom(cost)]));
}

function breakerFrom(breaker: NonNullable<FileChannel['breaker']>): BreakerSettings {
  return {
    windowMs: breaker.window_ms ?? DEFAULT_BREAKER.windowMs,
    failureRate: breaker.failure_rate ?? DEFAULT_BREAKER.failureRate,
    minimumRequests: breaker.minimum_requests ?? DEFAULT_BREAKER.minimumRequests,
    cooldownMs: breaker.cooldown_ms ?? DEFAULT_BREAKER.cooldownMs,
    maxCooldownMs: breaker.max_cooldown_ms ?? DEFAULT_BREAKER.maxCooldownMs,
    probes: breaker.probes ?? DEFAULT_BREAKER.probes,
  };
}

function settingsFrom(channel: FileChannel, providers: Providers): Readonly<Record<string, unknown>> {
  return providers.get(channel.provider)?.settings?.parse(channel.settings ?? {}) ?? {};
}

/** Returns a channel in the form of its schema, including its key, so the result must never be shown. */
export function channelFields(channel: ConfiguredChannel | Channel) {
  const { models, ...timeouts } = channel.timeouts;
  return {
    id: channel.id,
    name: channel.name,
    provider: channel.provider,
    base_url: channel.baseUrl,
    api_key: channel.apiKey,
    api_keys: channel.apiKeys?.map(upstreamKeyFields) ?? null,
    settings: channel.settings,
    formats: channel.formats,
    priority: channel.priority,
    weight: channel.weight,
    owner: channel.owner,
    timeouts: { ...timeoutFields(timeouts), models: mapValues(models, timeoutFields) },
    models: channel.models,
    costs: mapValues(channel.costs, pricingFields),
    breaker: {
      window_ms: channel.breaker.windowMs,
      failure_rate: channel.breaker.failureRate,
      minimum_requests: channel.breaker.minimumRequests,
      cooldown_ms: channel.breaker.cooldownMs,
      max_cooldown_ms: channel.breaker.maxCooldownMs,
      probes: channel.breaker.probes,
    },
    forward_ids: channel.forwardIds,
    limits: channel.limits && limitFields(channel.limits),
    queue: channel.queue && queueFields(channel.queue),
    follow_provider_limits: channel.followsProviderLimits,
    batches: channel.relaysBatches ? ('relay' as const) : ('own' as const),
  };
}

function limitFields({ models, ...own }: ChannelLimits) {
  return { ...upstreamLimitFields(own), models: mapValues(models, upstreamLimitFields) };
}

function upstreamLimitFields(limits: UpstreamLimits) {
  return {
    max_concurrent: limits.maxConcurrent,
    requests_per_minute: limits.requestsPerMinute,
    tokens_per_minute: limits.tokensPerMinute,
  };
}

export function queueFields({ maxWaiting, maxWaitMs }: QueueSettings) {
  return { max_waiting: maxWaiting, max_wait_ms: maxWaitMs };
}

function timeoutFields(timeouts: ModelTimeouts) {
  return {
    connect_ms: timeouts.connectMs,
    first_byte_ms: timeouts.firstByteMs,
    idle_ms: timeouts.idleMs,
    first_event_ms: timeouts.firstEventMs,
    event_idle_ms: timeouts.eventIdleMs,
    total_ms: timeouts.totalMs,
  };
}

function mapValues<From, To>(map: Readonly<Record<string, From>>, to: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, to(value)]));
}
