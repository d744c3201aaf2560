import { BATCH_STAGES, type Batch, type BatchApi, type BatchStage, isEnded } from '../../../domain/batches/batch.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { BatchStore } from '../../ports/batch-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { AdminError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

interface Reading {
  readonly batches: Pick<BatchStore, 'list' | 'find'>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

interface Cancelling extends Reading {
  readonly batches: Pick<BatchStore, 'list' | 'find' | 'askToCancel'>;
  readonly trail: AuditTrail;
}

export interface WantedBatches extends PageRequest {
  readonly account?: string | undefined;
  readonly api?: BatchApi | undefined;
  readonly key?: string | undefined;
  readonly stage?: BatchStage | undefined;
  /** Lists only batches that have not ended; cannot be combined with a stage. */
  readonly isOpen?: boolean | undefined;
}

/** Resolves to a page of batches, newest first. Throws `AdminError`. */
export async function listBatches(
  { batches, clock }: Reading,
  { account, api, key, stage, isOpen = false, ...page }: WantedBatches,
): Promise<Page<Batch>> {
  const limit = limitOf(page);
  const [createdAt, id] = placeAfter(page, 2) ?? [];
  if (isOpen && stage !== undefined) throw new AdminError('invalid_value', 'stage', 'cannot be combined with "open"');
  const found = await batches.list(
    {
      readableAtMs: clock.nowMs(),
      ...(account !== undefined && { accountId: account }),
      ...(api !== undefined && { api }),
      ...(key !== undefined && { keyId: key }),
      ...(stage !== undefined && { stages: [stage] }),
      ...(isOpen && { stages: BATCH_STAGES.filter((known) => !isEnded(known)) }),
      ...(id !== undefined && { after: { createdAtMs: Number(createdAt), id } }),
    },
    limit + 1,
  );
  return pageOf(found, limit, (batch) => [String(batch.createdAtMs), batch.id]);
}

/**
 * Resolves to a batch. Throws `AdminError`.
 *
 * @param accountId the account that it must belong to; any account if `null`
 */
export async function showBatch({ batches, clock }: Reading, id: string, accountId: string | null): Promise<Batch> {
  const batch = await batches.find(id, accountId);
  if (batch !== null && (batch.expiresAtMs === null || batch.expiresAtMs > clock.nowMs())) return batch;
  throw new AdminError('not_found', 'batch', `there is no batch "${id.slice(0, 100)}"`);
}

/**
 * Asks the process that runs a batch to cancel it, and resolves to the batch. Lines that are running may still be answered. Throws
 * `AdminError` if it has ended.
 *
 * @param accountId the account that it must belong to; any account if `null`
 */
export async function cancelBatch(
  { batches, clock, trail }: Cancelling,
  id: string,
  accountId: string | null,
): Promise<Batch> {
  const before = await showBatch({ batches, clock }, id, accountId);
  if (!(await batches.askToCancel(id, clock.nowMs()))) {
    const { stage } = await showBatch({ batches, clock }, id, accountId);
    throw new AdminError('conflict', 'batch', `"${id}" is ${stage}, which is final`);
  }
  if (before.cancelAskedAtMs === null) {
    await trail.note({ action: 'batch.cancel', accountId: before.accountId, objectId: id });
  }
  return showBatch({ batches, clock }, id, accountId);
}

/** Returns a listed batch as JSON. Times are in RFC 3339 and UTC. */
export function batchSummaryView(batch: Batch) {
  const { counts, usage } = batch;
  return {
    id: batch.id,
    account: batch.accountId,
    key: batch.keyId,
    api: batch.api,
    endpoint: batch.endpoint,
    model: batch.notes.model,
    stage: batch.stage,
    cancel_requested_at: timeOrNull(batch.cancelAskedAtMs),
    lines: batch.lines,
    succeeded: counts.succeeded,
    errored: counts.errored,
    cancelled: counts.cancelled,
    expired: counts.expired,
    tokens: {
      input: usage.inputTokens,
      cached_input: usage.cachedTokens,
      output: usage.outputTokens,
      reasoning: usage.reasoningTokens,
    },
    cost_usd: formatNanoUsd(batch.costNanoUsd),
    input_file: batch.inputFileId,
    output_file: batch.outputFileId,
    error_file: batch.errorFileId,
    created_at: isoTime(batch.createdAtMs),
    deadline: isoTime(batch.deadlineMs),
    ended_at: timeOrNull(batch.endedAtMs),
    expires_at: timeOrNull(batch.expiresAtMs),
  };
}

/** Returns everything that is known about a batch, without its lines. */
export function shownBatchView(batch: Batch) {
  const { notes } = batch;
  return {
    ...batchSummaryView(batch),
    started_at: timeOrNull(batch.startedAtMs),
    finalizing_at: timeOrNull(batch.finalizingAtMs),
    metadata: notes.metadata,
    errors: notes.errors.map(({ code, message, param, line }) => ({ code, message, param, line })),
  };
}
