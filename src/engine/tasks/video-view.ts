import type { Task } from '../../domain/tasks/task.ts';
import { isCancelled } from './cancelled.ts';
import { statusOf, type TaskViewer, withRouting } from './task-view.ts';

const STATUSES = {
  pending: 'queued',
  processing: 'in_progress',
  completed: 'completed',
  failed: 'failed',
} as const satisfies Record<ReturnType<typeof statusOf>, string>;

/** Writes the task of a video as OpenAI's `video` object, in JSON. */
export const videoView: TaskViewer = (task, means) => withRouting(videoOf(task), means);

/** Returns the members of OpenAI's `video` object (its published document, "The video job"). */
export function videoOf(task: Task) {
  const { id, modelId, request, progress, createdAtMs, endedAtMs, expiresAtMs } = task;
  const status = statusOf(task);
  return {
    ...{ id, object: 'video' as const, model: modelId, status: STATUSES[status] },
    progress: status === 'completed' ? 100 : (progress ?? 0),
    created_at: seconds(createdAtMs),
    completed_at: status === 'completed' && endedAtMs !== null ? seconds(endedAtMs) : null,
    expires_at: expiresAtMs === null ? null : seconds(expiresAtMs),
    prompt: request?.prompt ?? null,
    seconds: lengthOf(task),
    size: request?.size ?? null,
    remixed_from_video_id: request?.remixedFrom ?? null,
    error: errorOf(task),
  };
}

/** Returns the length that the client asked for, else the one that was sent or made, as text; `null` if none is known. */
function lengthOf({ request, target, ending }: Task): string | null {
  const made = ending?.kind === 'made' ? ending.result.items[0]?.durationSeconds : null;
  const known = request?.seconds ?? target?.asked.seconds ?? made;
  return known == null ? null : String(known);
}

function errorOf(task: Task) {
  const { ending } = task;
  if (statusOf(task) !== 'failed') return null;
  if (ending?.kind !== 'failed') return { code: 'internal_error', message: 'The video could not be made.' };
  return { code: isCancelled(task) ? ending.failureKind : ending.code, message: ending.message };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
