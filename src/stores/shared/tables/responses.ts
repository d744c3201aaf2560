import type { StoredResponse } from '../../../engine/ports/response-store.ts';
import type { ContentBox } from '../content-box.ts';
import { type Flag, toFlag } from './encoding.ts';

export interface ResponseRow {
  readonly account_id: string;
  readonly id: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly previous_id: string | null;
  readonly channel_id: string | null;
  readonly upstream_stored: Flag;
  /** Sealed by the content box for this row and column alone. */
  readonly sealed_input: Uint8Array;
  readonly sealed_response: Uint8Array;
}

/** In the order of `toResponseValues`. */
export const RESPONSE_COLUMNS = [
  'account_id',
  'id',
  'created_at_ms',
  'expires_at_ms',
  'previous_id',
  'channel_id',
  'upstream_stored',
  'sealed_input',
  'sealed_response',
] as const satisfies readonly (keyof ResponseRow)[];

export function toResponseValues(response: StoredResponse, box: ContentBox): (string | number | Uint8Array | null)[] {
  const { accountId, id } = response;
  return [
    accountId,
    id,
    response.createdAtMs,
    response.expiresAtMs,
    response.previousId,
    response.channelId,
    toFlag(response.upstreamStored),
    box.seal(response.inputJson, placeOf(accountId, id, 'input')),
    box.seal(response.responseJson, placeOf(accountId, id, 'response')),
  ];
}

/** Throws a `SecretBoxError` that names the row when it was sealed with another secret. */
export function fromResponseRow(row: ResponseRow, box: ContentBox): StoredResponse {
  return {
    id: row.id,
    accountId: row.account_id,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    previousId: row.previous_id,
    channelId: row.channel_id,
    upstreamStored: row.upstream_stored === 1,
    inputJson: box.open(row.sealed_input, placeOf(row.account_id, row.id, 'input')),
    responseJson: box.open(row.sealed_response, placeOf(row.account_id, row.id, 'response')),
  };
}

/** What its sealed text is bound to. */
export function placeOf(accountId: string, id: string, column: 'input' | 'response'): readonly string[] {
  return ['responses', accountId, id, column];
}
