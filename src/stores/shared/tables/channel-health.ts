import type { HealthRow } from '../../../engine/ports/health-store.ts';

export interface ChannelHealthRow {
  readonly channel_id: string;
  readonly upstream_model: string;
  readonly state: HealthRow['state'];
  readonly available_at_ms: number | null;
  readonly openings: number;
  readonly requests: number;
  readonly failures: number;
  readonly last_failure: string | null;
  readonly last_failure_at_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly updated_at_ms: number;
}

/** The primary key comes first. */
export const CHANNEL_HEALTH_COLUMNS = {
  channel_id: 'text',
  upstream_model: 'text',
  state: 'text',
  available_at_ms: 'double precision',
  openings: 'double precision',
  requests: 'double precision',
  failures: 'double precision',
  last_failure: 'text',
  last_failure_at_ms: 'double precision',
  first_byte_ms: 'double precision',
  updated_at_ms: 'double precision',
} as const satisfies { readonly [Column in keyof ChannelHealthRow]: string };

export function toChannelHealthRow(row: HealthRow): ChannelHealthRow {
  return {
    channel_id: row.channelId,
    upstream_model: row.upstreamModel,
    state: row.state,
    available_at_ms: row.availableAtMs,
    openings: row.openings,
    requests: row.requests,
    failures: row.failures,
    last_failure: row.lastFailure,
    last_failure_at_ms: row.lastFailureAtMs,
    first_byte_ms: row.firstByteMs,
    updated_at_ms: row.updatedAtMs,
  };
}

export function fromChannelHealthRow(row: ChannelHealthRow): HealthRow {
  return {
    channelId: row.channel_id,
    upstreamModel: row.upstream_model,
    state: row.state,
    availableAtMs: row.available_at_ms,
    openings: row.openings,
    requests: row.requests,
    failures: row.failures,
    lastFailure: row.last_failure,
    lastFailureAtMs: row.last_failure_at_ms,
    firstByteMs: row.first_byte_ms,
    updatedAtMs: row.updated_at_ms,
  };
}
