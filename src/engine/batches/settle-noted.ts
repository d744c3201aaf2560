import type { Batch, LineResult, NotedCharge } from '../../domain/batches/batch.ts';
import type { BatchStore } from '../ports/batch-store.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { RequestLog, RequestRecord } from '../ports/request-log.ts';
import { lineRecord } from './line-record.ts';
import { chargeFrom } from './line-run.ts';

const AT_ONCE = 50;

export interface SettlePorts {
  readonly batches: Pick<BatchStore, 'notedCharges' | 'finishLines'>;
  readonly ledger: Pick<Ledger, 'charge'>;
  readonly log: Pick<RequestLog, 'append'>;
}

/**
 * Repeats the charges of answered lines whose process has ended before they had a result. A charge that was written is known to the ledger
 * by its request, so nothing is charged twice. Resolves to `false` if another process has taken the batch over.
 */
export async function settleNoted({ batches, ledger, log }: SettlePorts, batch: Batch): Promise<boolean> {
  for (;;) {
    const noted = await batches.notedCharges(batch.id, AT_ONCE);
    if (noted.length === 0) return true;
    for (const line of noted) {
      const charge = chargeFrom(line.charge);
      // A known charge has its line in the log, or gets it when the lines of the crash are recovered.
      if ((await ledger.charge(charge)) === 'charged') log.append(recordOf(batch, line));
    }
    const results = noted.map(({ number, json, costNanoUsd, usage }): LineResult => {
      return { number, outcome: isFailed(json) ? 'errored' : 'succeeded', json, costNanoUsd, usage };
    });
    if (!(await batches.finishLines(batch.id, batch.claim, results))) return false;
  }
}

/** Whether the stored result is the failure of a response that no guard has checked. */
function isFailed(json: string): boolean {
  // Only `resultLine` writes it.
  const { response } = JSON.parse(json) as { readonly response: { readonly status_code: number } };
  return response.status_code >= 400;
}

/** Returns the entry of the request log for a line whose own was lost with its process. */
export function recordOf(batch: Batch, { charge: text, costNanoUsd }: NotedCharge): RequestRecord {
  const { requestId, atMs, usage } = chargeFrom(text);
  const { modelId, status } = usage;
  const channelId = usage.channelId === '' ? null : usage.channelId;
  return {
    ...lineRecord(batch, { requestId, atMs, costNanoUsd, modelId, channelId, status, errorCode: null }),
    recovered: true,
  };
}
