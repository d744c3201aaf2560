import type { Channel, ChannelTimeouts } from '../../../domain/catalog/channel.ts';
import type { Origin } from '../../../domain/catalog/model.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
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
  readonly enabled: Flag;
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
    enabled: toFlag(channel.enabled),
    origin: channel.origin,
  };
}

/** Throws a `SecretBoxError` that names the channel when its key was sealed with another secret. */
export function fromChannelRow(row: ChannelRow, box: SecretBox): Channel {
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
    timeouts: fromJson<ChannelTimeouts>(row.timeouts),
    models: fromJson<Record<string, string>>(row.models),
    enabled: row.enabled === 1,
    origin: row.origin,
  };
}

function placeOf(channel: { readonly id: string }): string {
  return `channel:${channel.id}`;
}
