import type { Task, TaskKind, TaskTarget } from '../../domain/tasks/task.ts';
import type { ForwardedId } from '../../domain/trace/forwarded-ids.ts';
import type { KeyedWork } from '../call/key-cost.ts';
import type { ResponseMemory } from '../call/response-memory.ts';
import type { Directory } from '../directory/directory.ts';
import type { ObjectMemory } from '../directory/object-memory.ts';
import type { DurableBilling } from '../ports/billing.ts';
import type { Clock, Every } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { MediaFetcher } from '../ports/media-fetcher.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { RequestLog, RequestRecord } from '../ports/request-log.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { TaskTracing } from '../ports/tracing.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { TaskSettings } from '../settings/settings.ts';

/** A poll about jobs that was answered or has failed. */
export interface FinishedPoll {
  readonly provider: string;
  readonly channelId: string;
  /** The failure's kind; `null` if the answer could be read. */
  readonly kind: string | null;
}

export interface EndedTask {
  readonly kind: TaskKind;
  readonly provider: string | null;
}

/** The metrics of the task engine. */
export interface TaskMetrics {
  /** `record` is the task's entry in the request log. */
  taskEnded(task: EndedTask, record: RequestRecord): void;
  taskPolled(poll: FinishedPoll): void;
}

/** The ports for ending a task; an operator's command has them, too. */
export interface EndingPorts {
  readonly tasks: Pick<TaskStore, 'find' | 'change'>;
  readonly billing: Pick<DurableBilling, 'resume'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  readonly log: Pick<RequestLog, 'append'>;
  readonly metrics: Pick<TaskMetrics, 'taskEnded'>;
  /** Absent while tracing is switched off. */
  readonly tracing?: TaskTracing | null;
  readonly settings: Pick<TaskSettings, 'keepMs'>;
  /** Knows what channels cost; absent if the cost of a task is to stay unknown. */
  readonly directory?: () => Pick<Directory, 'jobWay' | 'keyNameAt'>;
  /** Counts a completed task against the spend cap of its upstream key; absent if no keys are counted. */
  readonly spent?: (task: Task, target: TaskTarget, work: Pick<KeyedWork, 'billable' | 'applied'>) => void;
}

export interface TaskPorts extends EndingPorts {
  readonly tasks: TaskStore;
  readonly billing: DurableBilling;
  readonly clock: Clock;
  readonly metrics: TaskMetrics;
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  /** See `RecordPorts`. */
  readonly forwardIds?: readonly ForwardedId[];
  /** Memory held by answers in progress, including answers to polls. */
  readonly answers: Pick<ResponseMemory, 'open'>;
  readonly media: MediaFetcher;
  readonly mediaStore: MediaStore;
  /** Records which account a clip belongs to. */
  readonly objects: Pick<ObjectMemory, 'given'>;
  readonly settings: TaskSettings;
  readonly random: () => number;
  /** Repeats the work. Returns a function that stops it. */
  readonly every: Every;
  /** The name of this process among those that share the store. */
  readonly owner: string;
}
