import type { Batch } from '../../domain/batches/batch.ts';

/** Returns a batch in OpenAI's shape. */
export function batchView(batch: Batch) {
  const { stage, notes, usage, counts } = batch;
  const isEnded = batch.endedAtMs !== null;
  const at = (ms: number | null, isIt = true) => (ms === null || !isIt ? null : Math.floor(ms / 1_000));
  return {
    id: batch.id,
    object: 'batch' as const,
    endpoint: batch.endpoint,
    model: notes.model,
    errors: notes.errors.length === 0 ? null : { object: 'list' as const, data: notes.errors },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: statusOf(batch),
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    created_at: at(batch.createdAtMs),
    in_progress_at: at(batch.startedAtMs),
    expires_at: at(batch.deadlineMs),
    finalizing_at: at(batch.finalizingAtMs),
    completed_at: at(batch.endedAtMs, stage === 'completed'),
    failed_at: at(batch.endedAtMs, stage === 'failed'),
    expired_at: at(batch.endedAtMs, stage === 'expired'),
    cancelling_at: at(batch.cancelAskedAtMs),
    cancelled_at: at(batch.endedAtMs, stage === 'cancelled'),
    request_counts: {
      total: batch.lines,
      completed: counts.succeeded,
      failed: counts.errored + counts.expired + counts.cancelled,
    },
    ...(isEnded &&
      stage !== 'failed' && {
        usage: {
          input_tokens: usage.inputTokens,
          input_tokens_details: { cached_tokens: usage.cachedTokens },
          output_tokens: usage.outputTokens,
          output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
          total_tokens: usage.inputTokens + usage.outputTokens,
        },
      }),
    metadata: notes.metadata,
  };
}

function statusOf({ stage, cancelAskedAtMs }: Batch): string {
  if (cancelAskedAtMs !== null && ['validating', 'running', 'finalizing'].includes(stage)) return 'cancelling';
  return stage === 'running' ? 'in_progress' : stage;
}
