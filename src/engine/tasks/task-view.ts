import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { JobResult, MadeItem } from '../../domain/tasks/job.ts';
import type { FilePart, Task, TaskStatus } from '../../domain/tasks/task.ts';
import type { MediaStore } from '../ports/media-store.ts';
import { isCancelled } from './cancelled.ts';

/** Returns the path that clients should prefer (contract, Async task). */
export function pollUrl(id: string): string {
  return `/v1/tasks/${id}`;
}

export interface ViewMeans {
  readonly mediaStore: Pick<MediaStore, 'link'>;
  /** The origin by which the client reaches the gateway. */
  readonly origin: string;
}

export interface WholeViewMeans extends ViewMeans {
  /** The contract's `_routing` object as JSON text; `null` if no channel was asked. */
  readonly routingJson: string | null;
}

/** Writes a task as a response, in JSON. */
export type TaskViewer = (task: Task, means: WholeViewMeans) => string;

/** Returns a task in the clients' format (contract, Async task), as JSON text. */
export function taskView(task: Task, means: WholeViewMeans): string {
  return withRouting(viewOf(task, means), means);
}

/** Returns an object as JSON text, with `_routing` as its last member. */
export function withRouting(object: object, means: Pick<WholeViewMeans, 'routingJson'>): string {
  const json = JSON.stringify(object);
  return means.routingJson === null ? json : `${json.slice(0, -1)},"_routing":${means.routingJson}}`;
}

/** Returns a task's `_routing` with its cost, which is known when the task has ended (docs/cost-in-answers.md). */
export function routingOfTask(
  { endedAtMs, costNanoUsd }: Pick<Task, 'endedAtMs' | 'costNanoUsd'>,
  routing: RoutingFacts | null,
  tellsCost: boolean,
): string | null {
  if (routing === null || !tellsCost || endedAtMs === null) return routing?.json ?? null;
  const cost = costNanoUsd === null ? 'null' : `{"total_usd":"${formatNanoUsd(costNanoUsd)}"}`;
  return `${routing.json.slice(0, -1)},"cost":${cost}}`;
}

/** Returns the task's members, without `_routing`. */
export function viewOf(task: Task, means: ViewMeans) {
  const { id, kind, modelId, progress, ending } = task;
  const status = statusOf(task);
  const isDone = status === 'completed' && ending?.kind === 'made';
  return {
    ...{ id, task_id: id, object: 'task', kind, model: modelId },
    ...{ poll_url: pollUrl(id), status, created: seconds(task.createdAtMs) },
    ...(progress !== null && { progress }),
    ...(task.endedAtMs !== null && { ended: seconds(task.endedAtMs) }),
    ...(task.expiresAtMs !== null && { expires: seconds(task.expiresAtMs) }),
    ...(isDone && { data: itemsOf(ending.result, task, means) }),
    ...(status === 'failed' && { error: errorOf(task) }),
    ...(isCancelled(task) && { cancelled: true }),
    ...(task.cancelAskedAtMs !== null && task.endedAtMs === null && { cancel_requested: true }),
  };
}

export function statusOf({ stage, isProcessing }: Pick<Task, 'stage' | 'isProcessing'>): TaskStatus {
  if (stage === 'completed' || stage === 'failed') return stage;
  if (stage === 'closing') return 'processing';
  return stage === 'submitted' && isProcessing ? 'processing' : 'pending';
}

function errorOf({ ending }: Task): string {
  const message = ending?.kind === 'failed' ? ending.message : 'The task failed.';
  return /[.!?…。！？]$/.test(message) ? message : `${message}.`;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

function itemsOf({ items }: JobResult, task: Task, means: ViewMeans) {
  return items.map((item, index) => {
    const link = (part: FilePart) => urlOf(item, index, part, task, means);
    return withoutUnknown({
      url: link('source'),
      content_type: task.kept[`${index}/source`]?.mediaType ?? item.mediaType,
      duration: item.durationSeconds,
      cover_url: link('cover'),
      video_url: link('video'),
      title: item.title,
      lyrics: item.lyrics,
      tags: item.tags,
      format: item.format,
      revised_prompt: item.revisedPrompt,
      clip_id: item.clipId,
    });
  });
}

type Known<Members> = { readonly [Name in keyof Members]?: NonNullable<Members[Name]> };

function withoutUnknown<Members extends object>(members: Members): Known<Members> {
  const known = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  // `Object.fromEntries` loses the names.
  return Object.fromEntries(known) as Known<Members>;
}

/** Returns a link to the gateway's own copy if there is one, else the upstream's URL. */
function urlOf(item: MadeItem, index: number, part: FilePart, task: Task, means: ViewMeans): string | null {
  const kept = task.kept[`${index}/${part}`];
  if (kept !== undefined) return means.mediaStore.link(kept, means.origin);
  const source = item[part];
  return source?.kind === 'url' ? source.url : null;
}
