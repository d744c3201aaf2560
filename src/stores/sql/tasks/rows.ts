import type { AskedWork, JobTicket } from '../../../domain/tasks/job.ts';
import type {
  KeptFiles,
  Task,
  TaskChanges,
  TaskEnding,
  TaskKind,
  TaskRequest,
  TaskStage,
  TaskTarget,
} from '../../../domain/tasks/task.ts';
import { type ClientIds, NO_CLIENT_IDS } from '../../../domain/trace/call-identity.ts';
import { readTraceContext, traceparentOf } from '../../../domain/trace/trace-context.ts';
import { NO_TAGS, type RequestTags } from '../../../domain/usage/request-tags.ts';
import type { GuardVerdict } from '../../../domain/verdicts/guard-verdict.ts';
import type { OpenTasks } from '../../../engine/ports/task-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { fromJson, toFlag } from '../../shared/tables/encoding.ts';
import type { SqlRow } from '../program.ts';
import { toStorable } from '../texts.ts';

/** A task's row as written, the same in both databases. */
export interface NewTaskRow {
  readonly id: string;
  readonly request_id: string;
  readonly account_id: string;
  readonly key_id: string | null;
  /** Only written by this code, like the other closed sets of texts. */
  readonly kind: TaskKind;
  readonly model_id: string;
  readonly created_at_ms: bigint;
  readonly deadline_ms: bigint;
  readonly stage: TaskStage;
  readonly is_processing: number;
  readonly progress: bigint | null;
  /** The columns of the target are `null` together. */
  readonly channel_id: string | null;
  /** NULL for the channel's only key, or the one that it had before it had several. */
  readonly upstream_key: string | null;
  readonly provider: string | null;
  readonly upstream_model: string | null;
  readonly wire: string | null;
  readonly is_private: number | null;
  readonly asked: string | null;
  readonly submitted_at_ms: bigint | null;
  readonly poll_errors: bigint;
  readonly last_poll_error: string | null;
  readonly kept: string;
  readonly cost_nano: bigint | null;
  readonly ended_at_ms: bigint | null;
  readonly expires_at_ms: bigint | null;
  readonly owner: string | null;
  readonly claim: bigint;
  /** `RequestTags` as JSON; NULL for none. */
  readonly tags: string | null;
  /** `StoredIds` as JSON; NULL for none. */
  readonly client_ids: string | null;
  readonly cancel_asked_at_ms: bigint | null;
  readonly deleted_at_ms: bigint | null;
  /** `GuardVerdict[]` as JSON; NULL for none. */
  readonly guards: string | null;
  /** Sealed by the content box for this task and column: client content, and the ticket for polling the upstream. */
  readonly sealed_ticket: Uint8Array | null;
  readonly sealed_ending: Uint8Array | null;
  readonly sealed_request: Uint8Array | null;
}

export type TaskColumn = keyof NewTaskRow;
export type TaskValue = NewTaskRow[TaskColumn];

/** A row as read; small integers may be returned as `bigint`. */
export type TaskRow = Omit<NewTaskRow, 'is_processing' | 'is_private'> & {
  readonly is_processing: number | bigint;
  readonly is_private: number | bigint | null;
};

/** In the order of `toTaskValues`. Potentially long columns come last, so that the others can be read without them. */
export const TASK_COLUMNS = [
  'id',
  'request_id',
  'account_id',
  'key_id',
  'kind',
  'model_id',
  'created_at_ms',
  'deadline_ms',
  'stage',
  'is_processing',
  'progress',
  'channel_id',
  'upstream_key',
  'provider',
  'upstream_model',
  'wire',
  'is_private',
  'asked',
  'submitted_at_ms',
  'poll_errors',
  'last_poll_error',
  'kept',
  'cost_nano',
  'ended_at_ms',
  'expires_at_ms',
  'owner',
  'claim',
  'tags',
  'client_ids',
  'cancel_asked_at_ms',
  'deleted_at_ms',
  'guards',
  'sealed_ticket',
  'sealed_ending',
  'sealed_request',
] as const satisfies readonly TaskColumn[];

export function fromFiguresRow(row: SqlRow): OpenTasks {
  return {
    kind: row.kind as TaskKind, // Only written by this code.
    provider: row.provider === null ? null : String(row.provider),
    stage: row.stage as TaskStage, // Guaranteed by a check constraint.
    count: Number(row.tasks),
    oldestAtMs: Number(row.oldest_at_ms),
  };
}

export function toTaskValues(task: Task, box: ContentBox): TaskValue[] {
  const row = toTaskRow(task, box);
  return TASK_COLUMNS.map((column) => row[column]);
}

function toTaskRow(task: Task, box: ContentBox): NewTaskRow {
  const { target, ticket, ending } = task;
  return {
    id: task.id,
    request_id: task.requestId,
    account_id: task.accountId,
    key_id: task.keyId,
    kind: task.kind,
    model_id: task.modelId,
    created_at_ms: toInteger(task.createdAtMs),
    deadline_ms: toInteger(task.deadlineMs),
    stage: task.stage,
    is_processing: toFlag(task.isProcessing),
    progress: toNullableInteger(task.progress),
    ...targetColumns(target),
    submitted_at_ms: toNullableInteger(task.submittedAtMs),
    poll_errors: toInteger(task.pollErrors),
    last_poll_error: toStorable(task.lastPollError),
    kept: JSON.stringify(task.kept),
    cost_nano: task.costNanoUsd,
    ended_at_ms: toNullableInteger(task.endedAtMs),
    expires_at_ms: toNullableInteger(task.expiresAtMs),
    owner: task.owner,
    claim: toInteger(task.claim),
    tags: task.tags.given.length === 0 ? null : JSON.stringify(task.tags),
    client_ids: idsText(task.clientIds),
    sealed_ticket: sealed(box, task.id, 'ticket', ticket),
    cancel_asked_at_ms: toNullableInteger(task.cancelAskedAtMs),
    deleted_at_ms: toNullableInteger(task.deletedAtMs),
    guards: task.guards === undefined ? null : JSON.stringify(task.guards),
    sealed_ending: sealed(box, task.id, 'ending', ending),
    sealed_request: sealed(box, task.id, 'request', task.request),
  };
}

/** The columns that a change writes; unchanged columns are absent. */
export type ChangedColumns = Partial<NewTaskRow>;

export function toChangedColumns(id: string, changes: TaskChanges, box: ContentBox): ChangedColumns {
  const { stage, isProcessing, progress, target, ticket, submittedAtMs, pollErrors, lastPollError } = changes;
  const { ending, kept, costNanoUsd, endedAtMs, expiresAtMs } = changes;
  return {
    ...(stage !== undefined && { stage }),
    ...(isProcessing !== undefined && { is_processing: toFlag(isProcessing) }),
    ...(progress !== undefined && { progress: toNullableInteger(progress) }),
    ...(target !== undefined && targetColumns(target)),
    ...(ticket !== undefined && { sealed_ticket: sealed(box, id, 'ticket', ticket) }),
    ...(submittedAtMs !== undefined && { submitted_at_ms: toNullableInteger(submittedAtMs) }),
    ...(pollErrors !== undefined && { poll_errors: toInteger(pollErrors) }),
    ...(lastPollError !== undefined && { last_poll_error: toStorable(lastPollError) }),
    ...(ending !== undefined && { sealed_ending: sealed(box, id, 'ending', ending) }),
    ...(kept !== undefined && { kept: JSON.stringify(kept) }),
    ...(costNanoUsd !== undefined && { cost_nano: costNanoUsd }),
    ...(endedAtMs !== undefined && { ended_at_ms: toNullableInteger(endedAtMs) }),
    ...(expiresAtMs !== undefined && { expires_at_ms: toNullableInteger(expiresAtMs) }),
  };
}

/** Throws a `SecretBoxError` that names the row if it was sealed with another secret. */
export function fromTaskRow(row: TaskRow, box: ContentBox): Task {
  const open = (bytes: Uint8Array, column: SealedPart) => box.open(bytes, placeOf(row.id, column));
  return {
    id: row.id,
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    kind: row.kind,
    modelId: row.model_id,
    createdAtMs: Number(row.created_at_ms),
    deadlineMs: Number(row.deadline_ms),
    stage: row.stage,
    isProcessing: Number(row.is_processing) === 1,
    progress: toNullableNumber(row.progress),
    target: toTarget(row),
    ticket: row.sealed_ticket === null ? null : fromJson<JobTicket>(open(row.sealed_ticket, 'ticket')),
    submittedAtMs: toNullableNumber(row.submitted_at_ms),
    pollErrors: Number(row.poll_errors),
    lastPollError: row.last_poll_error,
    ending: row.sealed_ending === null ? null : fromJson<TaskEnding>(open(row.sealed_ending, 'ending')),
    kept: fromJson<KeptFiles>(row.kept),
    costNanoUsd: row.cost_nano,
    endedAtMs: toNullableNumber(row.ended_at_ms),
    expiresAtMs: toNullableNumber(row.expires_at_ms),
    cancelAskedAtMs: toNullableNumber(row.cancel_asked_at_ms),
    deletedAtMs: toNullableNumber(row.deleted_at_ms),
    request: row.sealed_request === null ? null : fromJson<TaskRequest>(open(row.sealed_request, 'request')),
    ...(row.guards !== null && { guards: fromJson<GuardVerdict[]>(row.guards) }),
    owner: row.owner,
    claim: Number(row.claim),
    tags: row.tags === null ? NO_TAGS : fromJson<RequestTags>(row.tags),
    clientIds: row.client_ids === null ? NO_CLIENT_IDS : idsFrom(row.client_ids),
  };
}

/** Returns the approximate number of bytes written, for the limit on transaction size. */
export function bytesOf(values: readonly (TaskValue | undefined)[]): number {
  return values.reduce<number>((sum, value) => sum + (hasLength(value) ? value.length : 8), 0);
}

function hasLength(value: TaskValue | undefined): value is string | Uint8Array {
  return typeof value === 'string' || value instanceof Uint8Array;
}

type TargetColumns = Pick<
  NewTaskRow,
  'channel_id' | 'upstream_key' | 'provider' | 'upstream_model' | 'wire' | 'is_private' | 'asked'
>;

function targetColumns(target: TaskTarget | null): TargetColumns {
  return {
    channel_id: target?.channelId ?? null,
    upstream_key: target?.keyId ?? null,
    provider: target?.provider ?? null,
    upstream_model: target?.upstreamModel ?? null,
    wire: target?.wire ?? null,
    is_private: target === null ? null : toFlag(target.isPrivate),
    asked: target === null ? null : JSON.stringify(target.asked),
  };
}

function toTarget(row: TaskRow): TaskTarget | null {
  if (row.channel_id === null) return null;
  return {
    channelId: row.channel_id,
    ...(row.upstream_key !== null && { keyId: row.upstream_key }),
    provider: row.provider ?? '',
    upstreamModel: row.upstream_model ?? '',
    wire: row.wire ?? '',
    isPrivate: Number(row.is_private) === 1,
    asked: fromJson<AskedWork>(row.asked ?? ''),
  };
}

/** The client's request id, and the headers of its trace. */
interface StoredIds {
  readonly id?: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

function idsText({ clientRequestId, clientTrace }: ClientIds): string | null {
  if (clientRequestId === null && clientTrace === null) return null;
  const ids: StoredIds = {
    ...(clientRequestId !== null && { id: clientRequestId }),
    ...(clientTrace !== null && { traceparent: traceparentOf(clientTrace) }),
    ...(clientTrace?.state != null && { tracestate: clientTrace.state }),
  };
  return JSON.stringify(ids);
}

function idsFrom(text: string): ClientIds {
  const { id = null, traceparent = null, tracestate = null } = fromJson<StoredIds>(text);
  return { clientRequestId: id, clientTrace: readTraceContext(traceparent, tracestate) };
}

/** The encrypted parts of a task. */
export type SealedPart = 'ticket' | 'ending' | 'request';

function sealed(box: ContentBox, id: string, column: SealedPart, value: unknown): Uint8Array | null {
  return value === null ? null : box.seal(JSON.stringify(value), placeOf(id, column));
}

/** Returns the place to which the sealed text is bound. */
export function placeOf(id: string, column: SealedPart): readonly string[] {
  return ['tasks', id, column];
}

function toInteger(value: number): bigint {
  return BigInt(Math.floor(value));
}

function toNullableInteger(value: number | null): bigint | null {
  return value === null ? null : toInteger(value);
}

function toNullableNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
