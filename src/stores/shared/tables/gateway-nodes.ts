import type { GatewayNode } from '../../../engine/ports/node-registry.ts';

export interface GatewayNodeRow {
  readonly id: string;
  readonly host_name: string;
  readonly process_id: number;
  readonly version: string;
  readonly access_version: number;
  readonly serving_version: number;
  readonly started_at_ms: number;
  readonly last_seen_at_ms: number;
  readonly media_place: string | null;
}

/** A node that has not been heard of for so long is deleted. */
export const FORGOTTEN_AFTER_MS = 3_600_000;

export function fromGatewayNodeRow(row: GatewayNodeRow): GatewayNode {
  return {
    id: row.id,
    hostName: row.host_name,
    processId: row.process_id,
    version: row.version,
    accessVersion: row.access_version,
    servingVersion: row.serving_version,
    startedAtMs: row.started_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    mediaPlace: row.media_place,
  };
}
