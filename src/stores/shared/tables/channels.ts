import {
  type CallTimeouts,
  type Channel,
  type ChannelBlock,
  type ChannelTimeouts,
  DEFAULT_TIMEOUTS,
} from '../../../domain/catalog/channel.ts';
import { MOST_CHANNEL_MODELS } from '../../../domain/catalog/channel-bounds.ts';
import type { ModelPricing, Origin } from '../../../domain/catalog/model.ts';
import { type BreakerSettings, DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import { firstMembers } from '../first-members.ts';
import type { SecretBox } from '../secret-box.ts';
import { type Flag, fromJson, toFlag, toNullableJson } from './encoding.ts';

export interface ChannelRow {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly base_url: string | null;
  /** Sealed by the secret box for this row alone; the plain key never reaches the file. */
  readonly sealed_api_key: string | null;
  readonly settings: string;
  readonly formats: string | null;
  readonly priority: number;
  readonly weight: number;
  readonly owner: string | null;
  readonly timeouts: string;
  readonly models: string;
  readonly costs: string;
  /** NULL in rows from before there were breakers. */
  readonly breaker: string | null;
  readonly enabled: Flag;
  /** NULL while the channel is not blocked; then the reason is NULL, too. */
  readonly block_at_ms: number | null;
  readonly block_reason: string | null;
  readonly reset_at_ms: number | null;
  readonly origin: Origin;
}

export function toChannelRow(channel: Channel, box: SecretBox): ChannelRow {
  return {
    id: channel.id,
    name: channel.name,
    provider: channel.provider,
    base_url: channel.baseUrl,
    sealed_api_key: channel.apiKey === null ? null : box.seal(channel.apiKey, placeOf(channel)),
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
  };
}

/** One more than a channel may have, so that whoever reads it can tell that there are further ones. */
const MOST_MEMBERS = MOST_CHANNEL_MODELS + 1;
/** The times of `MOST_CHANNEL_MODELS` models have half of it. */
const LONGEST_TIMEOUTS = 2 * 1024 * 1024;

/**
 * Of an account's channel with more models than it may have, which was stored before there was a bound, only the first ones are read.
 * Throws a `SecretBoxError` that names the channel when its key was sealed with another secret.
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

/** Rows from before streams and models had times of their own have one pair for both kinds of answers. */
function timeoutsOf(json: string): ChannelTimeouts {
  const stored = fromJson<CallTimeouts & Partial<ChannelTimeouts>>(json);
  const { firstEventMs = stored.firstByteMs, eventIdleMs = stored.idleMs, models = {} } = stored;
  return { ...stored, firstEventMs, eventIdleMs, models };
}

function blockOf(row: ChannelRow): ChannelBlock | null {
  return row.block_at_ms === null ? null : { atMs: row.block_at_ms, reason: row.block_reason ?? '' };
}

/** What its sealed text is bound to. */
export function placeOf(channel: { readonly id: string }): string {
  return `channel:${channel.id}`;
}
