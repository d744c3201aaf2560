import type { TaskKind } from '../../domain/tasks/task-kind.ts';
import { DEFAULT_RETENTION } from './retention-settings.ts';

/** What an operator may set about tasks (docs/tasks.md). */
export interface TaskSettings {
  /** How often each job is asked for, in place of the providers' own intervals; `null` leaves those. */
  readonly pollIntervalMs: number | null;
  /** How many questions this process sends in a second at most; with more open tasks each is asked for less often. */
  readonly pollsPerSecond: number;
  /** How many tasks of one account may be open at a time. */
  readonly maxOpenPerAccount: number;
  /** How long a finished task can be read: `retention.tasks_days`. */
  readonly keepMs: number;
  /** Whether results that lie at a public URL of the upstream are copied to the gateway's own store of files, too. */
  readonly rehost: boolean;
  /** A larger file is not copied. */
  readonly maxFileBytes: number;
  /** When a task has failed if it is not done by then, from its creation. */
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
