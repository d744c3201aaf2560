import type { TaskKind } from '../../domain/tasks/task-kind.ts';
import type { AnswerMemory } from '../call/answer-memory.ts';
import type { Directory } from '../directory/directory.ts';
import type { ObjectMemory } from '../directory/object-memory.ts';
import type { DurableBilling } from '../ports/billing.ts';
import type { Clock, Every } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { MediaFetcher } from '../ports/media-fetcher.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { RequestLog, RequestRecord } from '../ports/request-log.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { TaskSettings } from '../settings/task-settings.ts';

/** One question about jobs, when its answer has come or it has failed. */
export interface FinishedPoll {
  readonly provider: string;
  readonly channelId: string;
  /** The failure's kind; `null` where the answer could be read. */
  readonly kind: string | null;
}

export interface EndedTask {
  readonly kind: TaskKind;
  readonly provider: string | null;
}

/** What the engine of tasks tells the metrics. */
export interface TaskMetrics {
  /** The record is the task's line of the request log. */
  taskEnded(task: EndedTask, record: RequestRecord): void;
  taskPolled(poll: FinishedPoll): void;
}

/** What ending a task needs; an operator's command has it, too. */
export interface EndingPorts {
  readonly tasks: TaskStore;
  readonly billing: Pick<DurableBilling, 'resume'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly logger: Logger;
  readonly log: Pick<RequestLog, 'append'>;
  readonly metrics: Pick<TaskMetrics, 'taskEnded'>;
  readonly settings: Pick<TaskSettings, 'keepMs'>;
}

export interface TaskPorts extends EndingPorts {
  readonly billing: DurableBilling;
  readonly clock: Clock;
  readonly metrics: TaskMetrics;
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  /** Memory held by answers under way, those to questions about jobs among them. */
  readonly answers: Pick<AnswerMemory, 'open'>;
  readonly media: MediaFetcher;
  readonly mediaStore: MediaStore;
  /** Remembers whose clips the made ones are. */
  readonly objects: Pick<ObjectMemory, 'given'>;
  readonly settings: TaskSettings;
  readonly random: () => number;
  /** Does the work again and again; returns what ends that. */
  readonly every: Every;
  /** The name of this process among those that share the store. */
  readonly owner: string;
}
