import {
  type CallTimeouts,
  type Channel,
  type ChannelTimeouts,
  DEFAULT_TIMEOUTS,
} from '../../../domain/catalog/channel.ts';
import type { ChannelBlock } from '../../../domain/catalog/channel-block.ts';
import { MOST_CHANNEL_MODELS } from '../../../domain/catalog/channel-bounds.ts';
import type { ChannelLimits, QueueSettings } from '../../../domain/catalog/channel-limits.ts';
import type { ModelPricing, Origin } from '../../../domain/catalog/model.ts';
import { type BreakerSettings, DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import type { ForwardedId } from '../../../domain/trace/forwarded-ids.ts';
import { firstMembers } from '../first-members.ts';
import type { SecretBox } from '../secret-box.ts';
import { type Flag, fromJson, toFlag, toNullableJson } from './encoding.ts';
import { type Credentials, credentialsOf, fromCredentials, fromKeysJson, toKeysJson } from './upstream-keys.ts';

export interface ChannelRow {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly base_url: string | null;
  /** Sealed by the secret box for this row only. The plain key is never stored. */
  readonly sealed_api_key: string | null;
  /** The credentials of `api_keys` in their order, sealed likewise. NULL without several keys. */
  readonly sealed_api_keys: string | null;
  readonly settings: string;
  readonly formats: string | null;
  readonly priority: number;
  readonly weight: number;
  readonly owner: string | null;
  readonly timeouts: string;
  readonly models: string;
  readonly costs: string;
  /** NULL in rows from before the column existed. */
  readonly breaker: string | null;
  readonly enabled: Flag;
  /** NULL, like the reason, while the channel is not blocked. */
  readonly block_at_ms: number | null;
  readonly block_reason: string | null;
  readonly reset_at_ms: number | null;
  readonly origin: Origin;
  /** NULL for the gateway's setting, as in rows from before the column existed. */
  readonly forward_ids: string | null;
  /** NULL for none, like the queue for the gateway's setting, as in rows from before the columns existed. */
  readonly limits: string | null;
  readonly queue: string | null;
  /** NULL, as in rows from before the column existed, if they are followed. */
  readonly follow_provider_limits: Flag | null;
  /** NULL, as in rows from before the column existed, if the gateway runs the lines of batches itself. */
  readonly batches: string | null;
  /** The keys without their credentials. NULL without several keys, as in rows from before the column existed. */
  readonly api_keys: string | null;
}

export function toChannelRow(channel: Channel, box: SecretBox): ChannelRow {
  return {
    id: channel.id,
    name: channel.name,
    provider: channel.provider,
    base_url: channel.baseUrl,
    sealed_api_key: channel.apiKey === null ? null : box.seal(channel.apiKey, placeOf(channel)),
    sealed_api_keys:
      channel.apiKeys === undefined ? null : box.seal(credentialsOf(channel.apiKeys), placeOfKeys(channel)),
    settings: JSON.stringify(channel.settings),
    formats: toNullableJson(channel.formats),
    priority: channel.priority,
    weight: channel.weight,
    owner: channel.owner,
    timeouts: JSON.stringify(channel.timeouts),
    models: JSON.stringify(channel.models),
    costs: JSON.stringify(channel.costs),
    breaker: JSON.stringify(channel.breaker),
    enabled: toFlag(channel.enabled),
    block_at_ms: channel.block?.atMs ?? null,
    block_reason: channel.block?.reason ?? null,
    reset_at_ms: channel.resetAtMs,
    origin: channel.origin,
    forward_ids: toNullableJson(channel.forwardIds),
    limits: toNullableJson(channel.limits),
    queue: toNullableJson(channel.queue),
    follow_provider_limits: channel.followsProviderLimits ? null : 0,
    batches: channel.relaysBatches ? 'relay' : null,
    api_keys: channel.apiKeys === undefined ? null : toKeysJson(channel.apiKeys),
  };
}

/** One more than the maximum, so that readers can detect that there are more. */
const MOST_MEMBERS = MOST_CHANNEL_MODELS + 1;
/** Twice the size of the timeouts of `MOST_CHANNEL_MODELS` models. */
const LONGEST_TIMEOUTS = 2 * 1024 * 1024;

/**
 * Parses a row. If an account's channel has more models than allowed (stored before the limit existed), only the first are read. Throws a
 * `SecretBoxError` that names the channel if its key was sealed with another secret.
 */
export function fromChannelRow(stored: ChannelRow, box: SecretBox): Channel {
  const row = stored.owner === null ? stored : boundedRow(stored);
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    baseUrl: row.base_url,
    apiKey: row.sealed_api_key === null ? null : box.open(row.sealed_api_key, placeOf(row)),
    settings: fromJson<Record<string, unknown>>(row.settings),
    formats: row.formats === null ? null : fromJson<string[]>(row.formats),
    priority: row.priority,
    weight: row.weight,
    owner: row.owner,
    timeouts: timeoutsOf(row.timeouts),
    models: fromJson<Record<string, string>>(row.models),
    costs: fromJson<Record<string, ModelPricing>>(row.costs),
    breaker: row.breaker === null ? DEFAULT_BREAKER : fromJson<BreakerSettings>(row.breaker),
    enabled: row.enabled === 1,
    block: blockOf(row),
    resetAtMs: row.reset_at_ms,
    origin: row.origin,
    forwardIds: row.forward_ids === null ? null : fromJson<ForwardedId[]>(row.forward_ids),
    limits: row.limits === null ? null : fromJson<ChannelLimits>(row.limits),
    queue: row.queue === null ? null : fromJson<QueueSettings>(row.queue),
    followsProviderLimits: row.follow_provider_limits !== 0,
    relaysBatches: row.batches === 'relay',
    ...(row.api_keys !== null && { apiKeys: fromKeysJson(row.api_keys, openedKeys(row, box)) }),
  };
}

function boundedRow(row: ChannelRow): ChannelRow {
  return {
    ...row,
    models: firstMembers(row.models, MOST_MEMBERS),
    costs: firstMembers(row.costs, MOST_MEMBERS),
    timeouts: row.timeouts.length > LONGEST_TIMEOUTS ? JSON.stringify(DEFAULT_TIMEOUTS) : row.timeouts,
  };
}

/** Rows of older versions have one pair of timeouts for streams and other responses alike. */
function timeoutsOf(json: string): ChannelTimeouts {
  const stored = fromJson<CallTimeouts & Partial<ChannelTimeouts>>(json);
  const { firstEventMs = stored.firstByteMs, eventIdleMs = stored.idleMs, models = {} } = stored;
  return { ...stored, firstEventMs, eventIdleMs, models };
}

function blockOf(row: ChannelRow): ChannelBlock | null {
  return row.block_at_ms === null ? null : { atMs: row.block_at_ms, reason: row.block_reason ?? '' };
}

function openedKeys(row: ChannelRow, box: SecretBox): Credentials {
  return row.sealed_api_keys === null ? [] : fromCredentials(box.open(row.sealed_api_keys, placeOfKeys(row)));
}

/** Returns the context to which the sealed keys are bound. */
export function placeOfKeys(channel: { readonly id: string }): string {
  return `channel keys:${channel.id}`;
}

/** Returns the context to which the sealed key is bound. */
export function placeOf(channel: { readonly id: string }): string {
  return `channel:${channel.id}`;
}
