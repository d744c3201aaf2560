import { type Batch, isEnded } from '../../../domain/batches/batch.ts';

/** Returns a batch in Anthropic's shape. The requests of a batch that has not ended all count as `processing`, as at Anthropic. */
export function messageBatchView(batch: Batch, origin: string) {
  const { id, counts, lines } = batch;
  const hasEnded = isEnded(batch.stage);
  const { succeeded, cancelled, expired } = hasEnded ? counts : { succeeded: 0, cancelled: 0, expired: 0 };
  return {
    id,
    type: 'message_batch' as const,
    processing_status: hasEnded ? 'ended' : batch.cancelAskedAtMs === null ? 'in_progress' : 'canceling',
    request_counts: {
      processing: hasEnded ? 0 : lines,
      succeeded,
      // A batch that could not be run has no counts: all of its requests have failed.
      errored: hasEnded ? Math.max(counts.errored, lines - succeeded - cancelled - expired) : 0,
      canceled: cancelled,
      expired,
    },
    created_at: timeOf(batch.createdAtMs),
    expires_at: timeOf(batch.deadlineMs),
    ended_at: timeOf(batch.endedAtMs),
    cancel_initiated_at: timeOf(batch.cancelAskedAtMs),
    archived_at: null,
    results_url: hasEnded ? `${origin}/v1/messages/batches/${id}/results` : null,
  };
}

function timeOf(atMs: number): string;
function timeOf(atMs: number | null): string | null;
function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
