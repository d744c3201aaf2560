import { Failure } from '../../domain/failure/failure.ts';
import type { FilePart, Task } from '../../domain/tasks/task.ts';
import { isFinal } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Caller } from '../access/caller.ts';
import { type AdmittedResult, admittedCall } from '../call/admitted-call.ts';
import type { Logger } from '../ports/logger.ts';
import type { MediaStore, OpenMedia } from '../ports/media-store.ts';
import type { TaskStore } from '../ports/task-store.ts';
import { publicUrlOf } from './bounded-result.ts';
import { taskNotFound } from './cancel-failures.ts';
import { isGone, type TaskReaderPorts } from './read-task.ts';
import { isTaskId, PAGE_PARAMETERS, taskPage } from './task-list.ts';
import { routingOfTask } from './task-view.ts';
import { videoOf, videoView } from './video-view.ts';

/** How long the row of a deleted video remains, so that lists can continue after it. */
const DELETED_FOR_MS = 3_600_000;

const PARTS = { video: 'source', thumbnail: 'cover' } as const satisfies Record<string, FilePart>;
const VARIANTS = [...Object.keys(PARTS), 'spritesheet'];

/** The file of a video: the gateway's copy, or the public URL of the provider's. */
export type VideoContent =
  | { readonly kind: 'stored'; readonly media: OpenMedia }
  | { readonly kind: 'url'; readonly url: string };

export interface AccountVideosPorts extends TaskReaderPorts {
  readonly tasks: Pick<TaskStore, 'find' | 'list' | 'deleteFinal'>;
  readonly mediaStore: Pick<MediaStore, 'link' | 'openStored' | 'removeFiles'>;
  readonly logger: Pick<Logger, 'error'>;
}

/** Reads, lists and deletes videos of the caller's account in OpenAI's shape. Every video is a task. */
export class AccountVideos {
  constructor(private readonly ports: AccountVideosPorts) {}

  /** Handles `GET /v1/videos/{id}`. */
  read(caller: Caller, id: string, origin: string): Promise<AdmittedResult<string>> {
    return this.withVideo(caller, id, (task) => {
      const { mediaStore, directory } = this.ports;
      const routing = task.target === null ? null : directory().routingOf(task.target.channelId);
      const routingJson = routingOfTask(task, routing, this.ports.costInAnswers);
      return videoView(task, { mediaStore, origin, routingJson });
    });
  }

  /** Handles `GET /v1/videos`. */
  list(caller: Caller, query: URLSearchParams): Promise<AdmittedResult<string>> {
    return admittedCall(this.ports, caller, async (principal) => {
      const { tasks, clock } = this.ports;
      const parameters = { query, names: PAGE_PARAMETERS, kind: 'video' } as const;
      const page = await taskPage(tasks, principal, clock.nowMs(), parameters);
      if (page instanceof Failure) return page;
      const data = page.tasks.map(videoOf);
      const places = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
      return JSON.stringify({ object: 'list', data, ...places, has_more: page.hasMore });
    });
  }

  /** Handles `DELETE /v1/videos/{id}`: the gateway's copies of its files and its content are removed. The ledger and the log remain. */
  delete(caller: Caller, id: string): Promise<AdmittedResult<string>> {
    return this.withVideo(caller, id, async (task) => {
      if (!isFinal(task.stage)) return notFinished();
      const { tasks, mediaStore, clock, logger } = this.ports;
      try {
        // First, so that a deletion that fails can be repeated.
        await mediaStore.removeFiles(Object.values(task.kept).map((file) => file.id));
        const nowMs = clock.nowMs();
        if (!(await tasks.deleteFinal(id, nowMs, nowMs + DELETED_FOR_MS))) return taskNotFound();
      } catch (error) {
        logger.error({ taskId: id, ...describeError(error) }, 'a video could not be deleted');
        return notDeleted();
      }
      return JSON.stringify({ id, object: 'video.deleted', deleted: true });
    });
  }

  /** Handles `GET /v1/videos/{id}/content`. */
  content(caller: Caller, id: string, query: URLSearchParams): Promise<AdmittedResult<VideoContent>> {
    return this.withVideo(caller, id, (task) => this.fileOf(task, query.get('variant') || 'video'));
  }

  private async fileOf(task: Task, variant: string): Promise<VideoContent | Failure> {
    if (!VARIANTS.includes(variant)) return unknownVariant();
    const { ending } = task;
    if (task.stage !== 'completed' || ending?.kind !== 'made') return notCompleted(task);
    const part = Object.hasOwn(PARTS, variant) ? PARTS[variant as keyof typeof PARTS] : null;
    const kept = part === null ? undefined : task.kept[`0/${part}`];
    if (kept !== undefined) {
      const media = await this.ports.mediaStore.openStored(kept);
      if (media instanceof Failure) return media;
      return media === null ? withoutVariant(variant) : { kind: 'stored', media };
    }
    const source = part === null ? null : ending.result.items[0]?.[part];
    const url = source == null ? null : publicUrlOf(source);
    return url === null ? withoutVariant(variant) : { kind: 'url', url };
  }

  private withVideo<Result>(
    caller: Caller,
    id: string,
    use: (task: Task) => Result | Failure | Promise<Result | Failure>,
  ): Promise<AdmittedResult<Result>> {
    return admittedCall(this.ports, caller, async ({ account }) => {
      const task = isTaskId(id) ? await this.ports.tasks.find(id) : null;
      const isOwn = task !== null && task.accountId === account.id && task.kind === 'video';
      return isOwn && !isGone(task, this.ports.clock.nowMs()) ? await use(task) : taskNotFound();
    });
  }
}

function notFinished(): Failure {
  return new Failure('conflict', {
    message: 'The video is still being made, so it cannot be deleted.',
    hint: 'Cancel it with POST /v1/tasks/{id}/cancel, or wait until it is completed.',
  });
}

function notCompleted({ stage }: Pick<Task, 'stage'>): Failure {
  const why = stage === 'failed' ? 'The video has failed, so it has no content.' : 'The video is not completed yet.';
  return new Failure('conflict', { message: why, hint: 'Read the `status` and the `error` of the video.' });
}

function notDeleted(): Failure {
  return new Failure('storage_unavailable', {
    message: 'The video could not be deleted at the moment.',
    retryAfterMs: 5_000,
    hint: 'Send the request again after retry_after seconds.',
  });
}

function unknownVariant(): Failure {
  const message = `\`variant\` must be ${VARIANTS.map((name) => `\`${name}\``).join(', ')}.`;
  return new Failure('invalid_value', { message, param: 'variant' });
}

function withoutVariant(variant: string): Failure {
  const message = `The video has no \`${variant}\`: the provider made none, or it is no longer stored.`;
  return new Failure('object_not_found', { message, param: 'variant' });
}
