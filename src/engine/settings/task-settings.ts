import type { TaskKind } from '../../domain/tasks/task-kind.ts';
import { DEFAULT_RETENTION } from './retention-settings.ts';

/** An operator's settings for tasks (docs/tasks.md). */
export interface TaskSettings {
  /** The poll interval of each job, in place of the providers' own intervals; `null` keeps those. */
  readonly pollIntervalMs: number | null;
  /** The most polls per second of this process; with more open tasks each is polled less often. */
  readonly pollsPerSecond: number;
  /** The most open tasks of one account. */
  readonly maxOpenPerAccount: number;
  /** How long a finished task can be read: `retention.tasks_days`. */
  readonly keepMs: number;
  /** Whether results at public upstream URLs are also copied to the gateway's own media store. */
  readonly rehost: boolean;
  /** Larger files are not copied. */
  readonly maxFileBytes: number;
  /** The time after its creation at which an unfinished task fails. */
  readonly deadlineMs: Readonly<Record<TaskKind, number>>;
}

const MINUTE_MS = 60_000;

export const DEFAULT_TASKS: TaskSettings = {
  pollIntervalMs: null,
  pollsPerSecond: 100,
  maxOpenPerAccount: 20_000,
  keepMs: DEFAULT_RETENTION.tasksMs,
  rehost: false,
  maxFileBytes: 1024 ** 3,
  deadlineMs: { video: 120 * MINUTE_MS, music: 60 * MINUTE_MS, '3d': 120 * MINUTE_MS, image: 30 * MINUTE_MS },
};
