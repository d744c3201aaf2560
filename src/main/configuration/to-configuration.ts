import type { Capabilities } from '../../domain/catalog/capabilities.ts';
import { type ChannelTimeouts, DEFAULT_TIMEOUTS, type ModelTimeouts } from '../../domain/catalog/channel.ts';
import type { ModelPricing } from '../../domain/catalog/model.ts';
import { type BreakerSettings, DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import type {
  Configuration,
  ConfiguredAccount,
  ConfiguredChannel,
  ConfiguredModel,
} from '../../engine/admin/configuration.ts';
import { DEFAULT_MEDIA_SETTINGS, type MediaSettings } from '../../engine/ports/media-fetcher.ts';
import { type BillingSettings, DEFAULT_BILLING } from '../../engine/settings/billing-settings.ts';
import { DEFAULT_DISCOVERY, type DiscoverySettings } from '../../engine/settings/listing-settings.ts';
import { DEFAULT_ROUTING, type RoutingSettings } from '../../engine/settings/routing-settings.ts';
import { pricingFrom } from '../../providers/shared/price-syntax.ts';
import type { Providers } from './check-meaning.ts';
import type { ConfigurationFile } from './schema.ts';

type FileChannel = NonNullable<ConfigurationFile['channels']>[number];
type FileModel = NonNullable<ConfigurationFile['models']>[number];
type FileAccount = NonNullable<ConfigurationFile['accounts']>[number];

/** A checked file in the domain's shapes, with every default filled in. */
export function toConfiguration(file: ConfigurationFile, providers: Providers): Configuration {
  return {
    channels: (file.channels ?? []).map((channel) => channelFrom(channel, providers)),
    models: (file.models ?? []).map(modelFrom),
    accounts: (file.accounts ?? []).map(accountFrom),
    sandbox: file.sandbox ?? null,
    routing: routingFrom(file.routing ?? {}),
    billing: billingFrom(file.billing ?? {}),
    discovery: discoveryFrom(file.discovery ?? {}),
    server: {
      maxBodyBytes: file.server?.max_body_bytes ?? null,
      maxUploadBytes: file.server?.max_upload_bytes ?? null,
      bodyMemoryBytes: file.server?.body_memory_bytes ?? null,
      shutdownGraceMs: file.server?.shutdown_grace_ms ?? null,
      metricsToken: file.server?.metrics_token ?? null,
      trustedProxies: file.server?.trusted_proxies ?? [],
      corsOrigins: file.server?.cors_origins ?? null,
      wrongKeysPerMinute: file.server?.wrong_keys_per_minute ?? null,
      maxResponsesPerAccount: file.server?.max_responses_per_account ?? null,
      maxResponseBytesPerAccount: file.server?.max_response_bytes_per_account ?? null,
      pingIntervalMs: file.server?.ping_interval_ms ?? null,
      maxSocketsPerAccount: file.server?.max_sockets_per_account ?? null,
      maxHeldAnswerBytes: file.server?.max_held_answer_bytes ?? null,
    },
    media: mediaFrom(file.media ?? {}),
  };
}

function channelFrom(channel: FileChannel, providers: Providers): ConfiguredChannel {
  const { models } = channel;
  return {
    id: channel.id,
    name: channel.name ?? channel.id,
    provider: channel.provider,
    baseUrl: channel.base_url ?? null,
    apiKey: channel.api_key ?? null,
    settings: settingsFrom(channel, providers),
    formats: channel.formats ?? null,
    priority: channel.priority ?? 0,
    weight: channel.weight ?? 1,
    owner: channel.owner ?? null,
    timeouts: timeoutsFrom(channel.timeouts ?? {}),
    models: Array.isArray(models) ? Object.fromEntries(models.map((id) => [id, id])) : models,
    costs: costsFrom(channel.costs ?? {}),
    breaker: breakerFrom(channel.breaker ?? {}),
  };
}

type FileTimeouts = NonNullable<FileChannel['timeouts']>;

function timeoutsFrom(timeouts: FileTimeouts): ChannelTimeouts {
  const own = timeoutsOver(DEFAULT_TIMEOUTS, timeouts);
  const ofModels = Object.entries(timeouts.models ?? {});
  return { ...own, models: Object.fromEntries(ofModels.map(([modelId, one]) => [modelId, timeoutsOver(own, one)])) };
}

/** `first_byte_ms` and `idle_ms` hold for streams too where nothing is said for these. */
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

function routingFrom(routing: NonNullable<ConfigurationFile['routing']>): RoutingSettings {
  return {
    strategy: routing.strategy ?? DEFAULT_ROUTING.strategy,
    maxAttempts: routing.max_attempts ?? DEFAULT_ROUTING.maxAttempts,
    deadlineMs: routing.deadline_ms ?? DEFAULT_ROUTING.deadlineMs,
  };
}

function billingFrom(billing: NonNullable<ConfigurationFile['billing']>): BillingSettings {
  return {
    assumedOutputTokens: billing.assumed_output_tokens ?? DEFAULT_BILLING.assumedOutputTokens,
    privateChannelFeeNanoUsd: billing.private_channel_fee_usd ?? DEFAULT_BILLING.privateChannelFeeNanoUsd,
    whenCountersAreAway: billing.when_counters_are_away ?? DEFAULT_BILLING.whenCountersAreAway,
  };
}

function discoveryFrom(discovery: NonNullable<ConfigurationFile['discovery']>): DiscoverySettings {
  return {
    vendorKey: discovery.vendor_key ?? DEFAULT_DISCOVERY.vendorKey,
    minimumSamples: discovery.minimum_samples ?? DEFAULT_DISCOVERY.minimumSamples,
    refreshMs: discovery.refresh_ms ?? DEFAULT_DISCOVERY.refreshMs,
  };
}

function mediaFrom(media: NonNullable<ConfigurationFile['media']>): MediaSettings {
  return {
    allowHttp: media.allow_http ?? DEFAULT_MEDIA_SETTINGS.allowHttp,
    allowedRanges: media.allowed_ranges ?? DEFAULT_MEDIA_SETTINGS.allowedRanges,
    deniedRanges: media.denied_ranges ?? DEFAULT_MEDIA_SETTINGS.deniedRanges,
    maxBytes: media.max_bytes ?? DEFAULT_MEDIA_SETTINGS.maxBytes,
    maxConcurrent: media.max_concurrent ?? DEFAULT_MEDIA_SETTINGS.maxConcurrent,
    maxUrls: media.max_urls ?? DEFAULT_MEDIA_SETTINGS.maxUrls,
    maxHeldBytes: media.max_held_bytes ?? DEFAULT_MEDIA_SETTINGS.maxHeldBytes,
    connectMs: media.timeouts?.connect_ms ?? DEFAULT_MEDIA_SETTINGS.connectMs,
    totalMs: media.timeouts?.total_ms ?? DEFAULT_MEDIA_SETTINGS.totalMs,
  };
}

function settingsFrom(channel: FileChannel, providers: Providers): Readonly<Record<string, unknown>> {
  return providers.get(channel.provider)?.settings?.parse(channel.settings ?? {}) ?? {};
}

function modelFrom(model: FileModel): ConfiguredModel {
  return {
    id: model.id,
    name: model.name ?? null,
    description: model.description ?? null,
    category: model.category ?? null,
    ownedBy: model.owned_by ?? null,
    status: model.status ?? null,
    pricing: model.pricing === 'unknown' ? 'unknown' : pricingFrom(model.pricing),
    strategy: model.strategy ?? null,
    tags: model.tags ?? null,
    capabilities: model.capabilities == null ? null : capabilitiesFrom(model.capabilities),
    operations: model.operations ?? null,
  };
}

/** Only what was stated: the catalogue knows the rest. */
function capabilitiesFrom(file: NonNullable<FileModel['capabilities']>): Partial<Capabilities> {
  return {
    ...(file.input == null ? {} : { input: file.input }),
    ...(file.output == null ? {} : { output: file.output }),
    ...(file.features == null ? {} : { features: file.features }),
    ...(file.context == null ? {} : { contextTokens: file.context }),
    ...(file.max_output == null ? {} : { maxOutputTokens: file.max_output }),
    ...(file.dimensions == null ? {} : { dimensions: file.dimensions }),
  };
}

function accountFrom(account: FileAccount): ConfiguredAccount {
  return {
    id: account.id,
    name: account.name ?? account.id,
    role: account.role ?? 'User',
    admin: account.admin ?? false,
    billing: account.billing ?? 'prepaid',
    requestsPerMinute: account.requests_per_minute ?? null,
    tokensPerMinute: account.tokens_per_minute ?? null,
    maxConcurrent: account.max_concurrent ?? null,
    strategy: account.strategy ?? null,
    openingBalanceNanoUsd: account.balance_usd ?? null,
    credentials: [
      ...(account.keys ?? []).map((key) => ({
        id: key.id,
        kind: 'inference' as const,
        name: key.name ?? key.id,
        secret: key.secret,
        limitNanoUsd: key.limit_usd ?? null,
        models: key.models ?? null,
        requestsPerMinute: key.requests_per_minute ?? null,
        expiresAtMs: key.expires_at ?? null,
      })),
      ...(account.management_tokens ?? []).map((token) => ({
        id: token.id,
        kind: 'management' as const,
        name: token.name ?? token.id,
        secret: token.secret,
        limitNanoUsd: null,
        models: null,
        requestsPerMinute: null,
        expiresAtMs: null,
      })),
    ],
  };
}
