import type { Batch } from '../../domain/batches/batch.ts';
import type { RequestRecord } from '../ports/request-log.ts';

type Known = Pick<
  RequestRecord,
  'requestId' | 'atMs' | 'status' | 'errorCode' | 'costNanoUsd' | 'modelId' | 'channelId'
>;

/** Returns the entry of the request log for a line that no call has recorded. */
export function lineRecord(
  { id, accountId, keyId }: Pick<Batch, 'id' | 'accountId' | 'keyId'>,
  known: Known,
): RequestRecord {
  return {
    ...{ ...known, accountId, keyId, batchId: id, provider: null, format: 'unknown' },
    ...{ upstreamModel: null, answerModel: null, stream: false, failureKind: null },
    ...{ clientGone: false, retryCount: 0, failedAttempts: [], latencyMs: 0, firstByteMs: null, billable: null },
    ...{ upstreamRequestId: null, cacheMatch: null, cacheEntryId: null },
  };
}
