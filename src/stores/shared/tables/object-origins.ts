import type { ObjectOrigin } from '../../../engine/ports/object-origins.ts';

export interface ObjectOriginRow {
  readonly account_id: string;
  readonly object_id: string;
  readonly channel_id: string | null;
  readonly response_id: string | null;
  readonly expires_at_ms: number;
}

/** In the order of `toObjectOriginValues`. */
export const OBJECT_ORIGIN_COLUMNS = [
  'account_id',
  'object_id',
  'channel_id',
  'response_id',
  'expires_at_ms',
] as const satisfies readonly (keyof ObjectOriginRow)[];

export function toObjectOriginValues(origin: ObjectOrigin): [string, string, string | null, string | null, number] {
  return [origin.accountId, origin.objectId, origin.channelId, origin.responseId, origin.expiresAtMs];
}

export function fromObjectOriginRow(row: ObjectOriginRow): ObjectOrigin {
  return {
    accountId: row.account_id,
    objectId: row.object_id,
    channelId: row.channel_id,
    responseId: row.response_id,
    expiresAtMs: row.expires_at_ms,
  };
}

/** The same object twice in one batch: the later word stands, as it would one after the other. */
export function latestOrigins(origins: readonly ObjectOrigin[]): readonly ObjectOrigin[] {
  const latest = new Map(origins.map((origin) => [`${origin.accountId}\n${origin.objectId}`, origin]));
  return latest.size === origins.length ? origins : [...latest.values()];
}
