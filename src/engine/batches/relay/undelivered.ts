import { type Batch, NO_BATCH_USAGE } from '../../../domain/batches/batch.ts';
import type { RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import { partsOfPlace } from '../../../domain/catalog/channel.ts';
import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { parseJsonBytes } from '../../../formats/shared/json/json-text.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { decodeUsage as messagesUsage } from '../../../formats/text/anthropic-messages/usage.ts';
import { usageOfResponse } from '../../../formats/text/openai-responses/usage.ts';
import { decodeUsage } from '../../../formats/text/shared/openai-usage.ts';
import { costUnderTerms } from '../../billing/durable-billing.ts';
import type { GivenAnswer } from '../../call/line-relay.ts';
import type { BatchStore } from '../../ports/batch-store.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { RequestLog } from '../../ports/request-log.ts';
import { lineRecord } from '../line-record.ts';
import { chargeText } from '../line-run.ts';
import { recordOf } from '../settle-noted.ts';
import { holdIdOf, type RelayPorts } from './relay-ports.ts';

export interface UndeliveredPorts extends Pick<RelayPorts, 'holds' | 'channelAt' | 'clock'> {
  readonly batches: Pick<BatchStore, 'noteCharge' | 'finishLines'>;
  readonly ledger: Pick<Ledger, 'charge'>;
  readonly log: Pick<RequestLog, 'append'>;
}

/**
 * Ends a line whose answer the provider has given but the client may not get, for example because its key was revoked meanwhile. The provider
 * has worked for it, so it is charged for its usage at the prices of its hold. Resolves to `false` if another process has the batch.
 *
 * @param json the result that says why
 */
export async function chargeUndelivered(
  ports: UndeliveredPorts,
  batch: Batch,
  line: RelayedLine,
  { given, json }: { readonly given: GivenAnswer; readonly json: string },
): Promise<boolean> {
  const { batches, ledger, log, clock } = ports;
  const billable = given.status < 300 ? billableIn(given) : null;
  const hold = billable === null ? null : await ports.holds.find(holdIdOf(line.requestId));
  const isPrivate = ports.channelAt(given.place, batch.accountId)?.channel.owner != null;
  const cost = hold === null || billable === null ? null : costUnderTerms(hold.terms, billable, isPrivate);
  const result = { number: line.number, json, costNanoUsd: cost?.nanoUsd ?? 0n, usage: NO_BATCH_USAGE };
  if (cost !== null && cost.nanoUsd > 0n) {
    const charge = {
      ...{ requestId: line.requestId, accountId: batch.accountId, keyId: batch.keyId, atMs: clock.nowMs() },
      ...{ costNanoUsd: cost.nanoUsd, fromAccountLease: 0n, fromKeyLease: 0n },
      usage: { modelId: line.modelId, channelId: channelIdOf(given), status: 200, tags: cost.tags },
    };
    const noted = { ...result, charge: chargeText(charge) };
    if (!(await batches.noteCharge(batch.id, batch.claim, noted))) return false;
    if ((await ledger.charge(charge)) === 'charged') log.append(recordOf(batch, noted));
  }
  const isOwn = await batches.finishLines(batch.id, batch.claim, [{ ...result, outcome: 'errored' }]);
  if (isOwn && result.costNanoUsd === 0n) {
    const { requestId, modelId } = line;
    const known = { requestId, modelId, status: given.status, errorCode: null, channelId: channelIdOf(given) };
    log.append(lineRecord(batch, { ...known, atMs: Math.floor(clock.nowMs()), costNanoUsd: 0n }));
  }
  return isOwn;
}

function channelIdOf({ place }: GivenAnswer): string {
  return partsOfPlace(place).channelId;
}

/** Returns the usage that the answer reports; `null` for none. */
function billableIn({ wire, bytes }: GivenAnswer): Billable | null {
  const answer = parseJsonBytes(bytes);
  if (!isRecord(answer)) return null;
  const usage = usageIn(wire, answer);
  return usage === null ? null : billableOf(usage);
}

function usageIn(wire: string, answer: Readonly<Record<string, unknown>>): Usage | null {
  if (wire === 'openai-responses') return usageOfResponse(answer);
  return wire === 'anthropic-messages' ? messagesUsage(answer.usage) : decodeUsage(answer.usage);
}
