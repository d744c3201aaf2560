import { FINAL_STAGES, TASK_STAGES, type TaskStage, type TaskStatus } from '../../../domain/tasks/task.ts';
import type { TaskQuery } from '../../../engine/ports/task-store.ts';
import type { Values } from '../program.ts';

/** The condition of the partial indexes on open tasks. Queries must repeat it literally to use them. */
export const IS_OPEN = `stage NOT IN (${FINAL_STAGES.map((stage) => `'${stage}'`).join(', ')})`;
/** The condition of the partial index on ended tasks. */
const IS_ENDED = "stage IN ('completed', 'failed')";

/** The conditions of the statuses that clients see, as `statusOf` derives them. */
const STATUSES: Readonly<Record<TaskStatus, readonly string[]>> = {
  pending: [IS_OPEN, "(stage IN ('created', 'submitting') OR (stage = 'submitted' AND is_processing = 0))"],
  processing: [IS_OPEN, "(stage = 'closing' OR (stage = 'submitted' AND is_processing = 1))"],
  completed: [IS_ENDED, "stage = 'completed'"],
  failed: [IS_ENDED, "stage = 'failed'"],
};

/** Returns the SQL conditions of a list; at least one. */
export function conditionsOf(query: TaskQuery, sql: Values): string[] {
  const { accountId, kind, stages, status, channelId, keyId, modelId } = query;
  const { createdFromMs, createdBeforeMs, readableAtMs, after, isAscending = false } = query;
  const equal = { account_id: accountId, kind, channel_id: channelId, key_id: keyId, model_id: modelId };
  return [
    'deleted_at_ms IS NULL',
    ...Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [`${column} = ${sql.put(value)}`],
    ),
    ...(stages === undefined ? [] : stageConditions(stages)),
    ...(status === undefined ? [] : STATUSES[status]),
    ...(createdFromMs === undefined ? [] : [`created_at_ms >= ${sql.put(Math.floor(createdFromMs))}`]),
    ...(createdBeforeMs === undefined ? [] : [`created_at_ms < ${sql.put(Math.floor(createdBeforeMs))}`]),
    ...(readableAtMs === undefined
      ? []
      : [`(expires_at_ms IS NULL OR expires_at_ms > ${sql.put(Math.floor(readableAtMs))})`]),
    ...(after === undefined
      ? []
      : [
          `(created_at_ms, id) ${isAscending ? '>' : '<'} (${sql.put(Math.floor(after.createdAtMs))}, ${sql.put(after.id)})`,
        ]),
  ];
}

/** Literals from the code's own list, so that the partial indexes on open tasks are used. */
function stageConditions(stages: readonly TaskStage[]): string[] {
  const known = TASK_STAGES.filter((stage) => stages.includes(stage));
  if (known.length === 0) return ['1 = 0'];
  const among = `stage IN (${known.map((stage) => `'${stage}'`).join(', ')})`;
  const finals: readonly TaskStage[] = FINAL_STAGES;
  return known.some((stage) => finals.includes(stage)) ? [among] : [among, IS_OPEN];
}
