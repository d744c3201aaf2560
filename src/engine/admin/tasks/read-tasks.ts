import type { Hold } from '../../../domain/ledger/hold.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { FileSource, JobTicket, MadeItem } from '../../../domain/tasks/job.ts';
import {
  isFinal,
  type KeptFiles,
  TASK_KINDS,
  TASK_STAGES,
  TASK_STATUSES,
  type Task,
  type TaskEnding,
  type TaskKind,
  type TaskStage,
  type TaskStatus,
  type TaskTarget,
} from '../../../domain/tasks/task.ts';
import { withoutSecrets } from '../../../formats/shared/failure/clean-message.ts';
import type { Holds } from '../../ports/holds.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { isCancelled } from '../../tasks/cancelled.ts';
import { statusOf, type ViewMeans, viewOf } from '../../tasks/task-view.ts';
import { AdminError } from '../admin-error.ts';
import { limitOf, type Page, type PageRequest, pageOf, placeAfter } from '../page.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

export interface WantedTasks extends PageRequest {
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly stage?: string | undefined;
  /** Lists only tasks that are not final; cannot be combined with a stage. */
  readonly isOpen?: boolean | undefined;
  /** The status that clients see. */
  readonly status?: string | undefined;
  /** The channel that was asked last. */
  readonly channel?: string | undefined;
  readonly model?: string | undefined;
  readonly key?: string | undefined;
}

/** Resolves to a page of the tasks, newest first. Throws `AdminError`. */
export async function listTasks(
  { tasks }: { readonly tasks: Pick<TaskStore, 'list'> },
  { account, kind, stage, isOpen = false, status, channel, model, key, ...page }: WantedTasks,
): Promise<Page<Task>> {
  const limit = limitOf(page);
  const [createdAt, id] = placeAfter(page, 2) ?? [];
  if (isOpen && stage !== undefined) throw new AdminError('invalid_value', 'stage', 'cannot be combined with "open"');
  const query = {
    ...(account !== undefined && { accountId: account }),
    ...(kind !== undefined && { kind: oneOf<TaskKind>('kind', TASK_KINDS, kind) }),
    ...(stage !== undefined && { stages: [oneOf<TaskStage>('stage', TASK_STAGES, stage)] }),
    ...(isOpen && { stages: TASK_STAGES.filter((known) => !isFinal(known)) }),
    ...(status !== undefined && { status: oneOf<TaskStatus>('status', TASK_STATUSES, status) }),
    ...(channel !== undefined && { channelId: channel }),
    ...(model !== undefined && { modelId: model }),
    ...(key !== undefined && { keyId: key }),
    ...(id !== undefined && { after: { createdAtMs: Number(createdAt), id } }),
  };
  const found = await tasks.list(query, limit + 1);
  return pageOf(found, limit, (task) => [String(task.createdAtMs), task.id]);
}

export interface ShownTask {
  readonly task: Task;
  /** The reservation for the task; `null` for none. */
  readonly hold: Hold | null;
}

/** Resolves to a task of this account, or of any account if it is `null`. Throws `AdminError`. */
export async function showTask(
  stores: { readonly tasks: Pick<TaskStore, 'find'>; readonly holds: Pick<Holds, 'find'> },
  id: string,
  accountId: string | null,
): Promise<ShownTask> {
  const task = await existingTask(stores, id, accountId);
  return { task, hold: await stores.holds.find(task.requestId) };
}

function oneOf<Name extends string>(field: string, names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new AdminError('invalid_value', field, `must be one of ${names.join(', ')}`);
}

/**
 * Resolves to the task with this id. Throws `AdminError`.
 *
 * @param accountId the account that the task must belong to; any account if absent or `null`
 */
export async function existingTask(
  { tasks }: { readonly tasks: Pick<TaskStore, 'find'> },
  id: string,
  accountId: string | null = null,
): Promise<Task> {
  const task = await tasks.find(id);
  if (task === null || task.deletedAtMs !== null || (accountId !== null && task.accountId !== accountId))
    throw new AdminError('not_found', 'task', `there is no task "${id.slice(0, 100)}"`);
  return task;
}

/** Returns a listed task as JSON. Times are in RFC 3339 and UTC, and `status` is what its client sees. */
export function taskSummaryView(task: Task) {
  return {
    id: task.id,
    account: task.accountId,
    kind: task.kind,
    model: task.modelId,
    stage: task.stage,
    status: statusOf(task),
    progress: task.progress,
    cancelled: isCancelled(task),
    cancel_requested_at: timeOrNull(task.cancelAskedAtMs),
    channel: task.target?.channelId ?? null,
    provider: task.target?.provider ?? null,
    poll_errors: task.pollErrors,
    created_at: isoTime(task.createdAtMs),
    ended_at: timeOrNull(task.endedAtMs),
  };
}

/** Returns what the account itself may see of its task: the results, or why there are none. */
export function ownTaskView(task: Task, means: ViewMeans) {
  const { data, error } = viewOf(task, means);
  const { requestId, keyId, costNanoUsd } = task;
  const cost = costNanoUsd === null ? null : formatNanoUsd(costNanoUsd);
  return {
    ...{ request_id: requestId, key: keyId, cost_usd: cost },
    ...{ submitted_at: timeOrNull(task.submittedAtMs), expires_at: timeOrNull(task.expiresAtMs) },
    ...{ data: data ?? null, error: error ?? null },
  };
}

const LONGEST_TITLE = 120;

/** Returns the first file that was made, for a list; `null` if nothing was made. Links are computed, so no store is read. */
export function taskPreview(task: Task, means: ViewMeans) {
  const made = viewOf(task, means).data ?? [];
  for (const { url, content_type, cover_url, title, format, revised_prompt } of made) {
    if (url === undefined) continue;
    const words = title ?? revised_prompt;
    return {
      url,
      ...(content_type !== undefined && { content_type }),
      ...(cover_url !== undefined && { cover_url }),
      ...(words !== undefined && { title: words.slice(0, LONGEST_TITLE).toWellFormed() }),
      ...(format !== undefined && { format }),
      count: made.length,
    };
  }
  return null;
}

/** Returns what a list shows besides `taskSummaryView`: who asked for the task, and what it cost. */
export function taskChargeView({ requestId, keyId, costNanoUsd, submittedAtMs }: Task) {
  return {
    request_id: requestId,
    key: keyId,
    cost_usd: costNanoUsd === null ? null : formatNanoUsd(costNanoUsd),
    submitted_at: timeOrNull(submittedAtMs),
  };
}

/**
 * Returns everything that an operator may see of a task, without the client's input and results, and without addresses that open a file.
 */
export function shownTaskView({ task, hold }: ShownTask) {
  return {
    ...taskSummaryView(task),
    request_id: task.requestId,
    key: task.keyId,
    deadline: isoTime(task.deadlineMs),
    submitted_at: timeOrNull(task.submittedAtMs),
    expires_at: timeOrNull(task.expiresAtMs),
    target: task.target === null ? null : targetView(task.target),
    ticket: task.ticket === null ? null : ticketView(task.ticket),
    last_poll_error: task.lastPollError,
    ending: task.ending === null ? null : endingView(task.ending),
    kept_files: keptFilesView(task.kept),
    cost_usd: task.costNanoUsd === null ? null : formatNanoUsd(task.costNanoUsd),
    hold: hold === null ? null : holdView(hold),
    owner: task.owner,
    claim: task.claim,
  };
}

function targetView({ channelId, provider, upstreamModel, wire, isPrivate, asked }: TaskTarget) {
  return {
    ...{ channel: channelId, provider, upstream_model: upstreamModel, wire, private: isPrivate },
    asked: {
      ...{ count: asked.count, seconds: asked.seconds, resolution: asked.resolution },
      ...{ traits: asked.traits ?? [], output_tokens: asked.outputTokens ?? null },
    },
  };
}

/** The form of an id. A ticket may also contain texts of the client, and addresses that open a job for anyone who knows them. */
const ID = /^[\w.:@/-]{1,200}$/;

function ticketView(ticket: JobTicket): Readonly<Record<string, string>> {
  const shown = Object.entries(ticket).map(([name, value]) => [name, ticketValue(value)] as const);
  return Object.fromEntries(shown);
}

function ticketValue(value: string): string {
  const address = addressOf(value);
  if (address !== null) return address;
  if (value !== '' && !ID.test(value)) return `(${value.length} characters)`;
  return withoutSecrets(value);
}

/** Returns an http(s) address without the parts that could hold a secret: user, password, query and fragment. */
function addressOf(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return null;
  const url = URL.parse(text);
  if (url === null) return null;
  const rest = url.search === '' && url.hash === '' ? '' : '?…';
  return `${url.origin}${withoutSecrets(url.pathname.slice(0, 200))}${rest}`;
}

function endingView(ending: TaskEnding) {
  if (ending.kind === 'failed') {
    const { code, failureKind, message } = ending;
    return { kind: 'failed', code, failure_kind: failureKind, message } as const;
  }
  const { result, billable } = ending;
  return {
    kind: 'made',
    items: result.items.map(itemView),
    resolution: result.resolution ?? null,
    upstream_model: result.model ?? null,
    tokens: result.tokens ?? null,
    quantities: billable.quantities,
    quantities_are: billable.source,
  } as const;
}

function itemView({ source, mediaType, durationSeconds = null, format = null, clipId = null }: MadeItem) {
  const file = source === null ? null : sourceText(source);
  return { source: file, content_type: mediaType, duration: durationSeconds, format, clip_id: clipId };
}

function sourceText(source: FileSource): string {
  if (source.kind === 'base64') return 'in the answer';
  if (/^data:/i.test(source.url)) return 'a data URI';
  return (
    addressOf(source.url) ?? `a path of the channel: ${withoutSecrets(source.url.slice(0, 200).replace(/\?.*/s, '?…'))}`
  );
}

function keptFilesView(kept: KeptFiles) {
  return Object.entries(kept).map(([place, { id, mediaType, expiresAtMs }]) => ({
    ...{ place, id, content_type: mediaType, expires_at: isoTime(expiresAtMs) },
  }));
}

function holdView({ state, fromBalanceNanoUsd, fromLimitNanoUsd, chargedNanoUsd, expiresAtMs }: Hold) {
  return {
    state,
    of_balance_usd: fromBalanceNanoUsd === null ? null : formatNanoUsd(fromBalanceNanoUsd),
    of_limit_usd: fromLimitNanoUsd === null ? null : formatNanoUsd(fromLimitNanoUsd),
    charged_usd: formatNanoUsd(chargedNanoUsd),
    expires_at: isoTime(expiresAtMs),
  };
}
