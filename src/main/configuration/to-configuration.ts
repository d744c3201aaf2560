import { type ChannelTimeouts, DEFAULT_TIMEOUTS } from '../../domain/catalog/channel.ts';
import type { ModelCategory, ModelPricing } from '../../domain/catalog/model.ts';
import { type BreakerSettings, DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import type {
  Configuration,
  ConfiguredAccount,
  ConfiguredChannel,
  ConfiguredModel,
} from '../../engine/admin/configuration.ts';
import { DEFAULT_MEDIA_SETTINGS, type MediaSettings } from '../../engine/ports/media-fetcher.ts';
import { type BillingSettings, DEFAULT_BILLING } from '../../engine/shared/billing-settings.ts';
import { DEFAULT_ROUTING, type RoutingSettings } from '../../engine/shared/routing-settings.ts';
import type { Providers } from './check-meaning.ts';
import { pricingFrom } from './pricing.ts';
import type { ConfigurationFile } from './schema.ts';

type FileChannel = NonNullable<ConfigurationFile['channels']>[number];
type FileModel = NonNullable<ConfigurationFile['models']>[number];
type FileAccount = NonNullable<ConfigurationFile['accounts']>[number];

/** A checked file in the domain's shapes, with every default filled in. */
export function toConfiguration(file: ConfigurationFile, providers: Providers): Configuration {
  const channels = (file.channels ?? []).map((channel) => channelFrom(channel, providers));
  return {
    channels,
    models: modelsFrom(file.models ?? [], channels, providers),
    accounts: (file.accounts ?? []).map(accountFrom),
    sandbox: file.sandbox ?? null,
    routing: routingFrom(file.routing ?? {}),
    billing: billingFrom(file.billing ?? {}),
    server: {
      maxBodyBytes: file.server?.max_body_bytes ?? null,
      shutdownGraceMs: file.server?.shutdown_grace_ms ?? null,
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

function timeoutsFrom(timeouts: NonNullable<FileChannel['timeouts']>): ChannelTimeouts {
  return {
    connectMs: timeouts.connect_ms ?? DEFAULT_TIMEOUTS.connectMs,
    firstByteMs: timeouts.first_byte_ms ?? DEFAULT_TIMEOUTS.firstByteMs,
    idleMs: timeouts.idle_ms ?? DEFAULT_TIMEOUTS.idleMs,
    totalMs: timeouts.total_ms ?? DEFAULT_TIMEOUTS.totalMs,
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

function mediaFrom(media: NonNullable<ConfigurationFile['media']>): MediaSettings {
  return {
    allowHttp: media.allow_http ?? DEFAULT_MEDIA_SETTINGS.allowHttp,
    allowedRanges: media.allowed_ranges ?? DEFAULT_MEDIA_SETTINGS.allowedRanges,
    deniedRanges: media.denied_ranges ?? DEFAULT_MEDIA_SETTINGS.deniedRanges,
    maxBytes: media.max_bytes ?? DEFAULT_MEDIA_SETTINGS.maxBytes,
    maxConcurrent: media.max_concurrent ?? DEFAULT_MEDIA_SETTINGS.maxConcurrent,
    connectMs: media.timeouts?.connect_ms ?? DEFAULT_MEDIA_SETTINGS.connectMs,
    totalMs: media.timeouts?.total_ms ?? DEFAULT_MEDIA_SETTINGS.totalMs,
  };
}

function settingsFrom(channel: FileChannel, providers: Providers): Readonly<Record<string, unknown>> {
  return providers.get(channel.provider)?.settings?.parse(channel.settings ?? {}) ?? {};
}

/** The declared models, then those that only a channel names, so that a channel alone is enough to be used. */
function modelsFrom(
  declared: readonly FileModel[],
  channels: readonly ConfiguredChannel[],
  providers: Providers,
): readonly ConfiguredModel[] {
  const servedBy = new Map<string, ConfiguredChannel>();
  for (const channel of channels) {
    for (const id of Object.keys(channel.models)) if (!servedBy.has(id)) servedBy.set(id, channel);
  }
  const named = new Set(declared.map((model) => model.id));
  const implied = [...servedBy.keys()].filter((id) => !named.has(id)).map((id): FileModel => ({ id }));
  return [...declared, ...implied].map((model) => {
    const channel = servedBy.get(model.id);
    return {
      id: model.id,
      category: model.category ?? categoryOf(model.id, channel, providers),
      ownedBy: model.owned_by ?? channel?.provider ?? 'unknown',
      status: model.status ?? 'public',
      pricing: pricingFrom(model.pricing),
      strategy: model.strategy ?? null,
      tags: model.tags ?? [],
      implied: !named.has(model.id),
    };
  });
}

function categoryOf(id: string, channel: ConfiguredChannel | undefined, providers: Providers): ModelCategory {
  if (channel === undefined) return 'chat';
  const upstreamId = channel.models[id];
  const known = providers.get(channel.provider)?.models?.find((model) => model.id === upstreamId || model.id === id);
  return known?.category ?? 'chat';
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
