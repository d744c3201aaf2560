import type { Task, TaskChanges, TaskKind, TaskStage, TaskStatus } from '../../domain/tasks/task.ts';

/** Conditions that must all hold; omitted ones are ignored. */
export interface TaskQuery {
  readonly accountId?: string;
  readonly kind?: TaskKind;
  readonly stages?: readonly TaskStage[];
  /** The status that clients see. */
  readonly status?: TaskStatus;
  readonly channelId?: string;
  readonly keyId?: string;
  readonly modelId?: string;
  /** Inclusive. */
  readonly createdFromMs?: number;
  /** Exclusive. */
  readonly createdBeforeMs?: number;
  /** Leaves out tasks that have expired at this time. */
  readonly readableAtMs?: number;
  /** Lists the oldest first. */
  readonly isAscending?: boolean;
  /** The last task of the previous page; it may have been removed since. */
  readonly after?: Pick<Task, 'createdAtMs' | 'id'>;
}

/** The number of open tasks of one kind, provider and stage. */
export interface OpenTasks {
  readonly kind: TaskKind;
  /** `null` before a channel is chosen. */
  readonly provider: string | null;
  readonly stage: TaskStage;
  readonly count: number;
  /** When the oldest of them was created. */
  readonly oldestAtMs: number;
}

/** One change in a batch of tasks. */
export interface TaskChange {
  readonly id: string;
  readonly claim: number;
  readonly changes: TaskChanges;
}

/**
 * Stores tasks; changes are durable when their promise resolves. Only the owner may write a task: a change names the claim under which it
 * was decided and is refused if the claim differs by now.
 */
export interface TaskStore {
  /** Writes a new task. Throws if the id exists. */
  create(task: Task): Promise<void>;
  /** Finds a task of any account, including one that has expired but is not removed yet. */
  find(id: string): Promise<Task | null>;
  /**
   * Changes a task. Resolves to `false`, without changing anything, if there is no such task, its claim differs, the stage transition is
   * not legal (`predecessorsOf`), or both the change and the task have an ending. A change without `stage` keeps the stage, which must not
   * be final. If it throws, the outcome is unknown.
   */
  change(id: string, claim: number, changes: TaskChanges): Promise<boolean>;
  /** Applies independent changes in one transaction. Resolves to whether each was applied. */
  changeAll(changes: readonly TaskChange[]): Promise<readonly boolean[]>;
  /**
   * Renews this process's ownership of its tasks until `untilMs`, after which others may claim them. Must be called before the first task
   * is created, and repeated well before that time.
   */
  alive(owner: string, untilMs: number): Promise<void>;
  /**
   * Assigns `owner` to tasks that are not final and have no live owner, oldest first, and raises their claims. Each task goes to only one
   * of several concurrent callers.
   */
  claim(owner: string, nowMs: number, limit: number): Promise<readonly Task[]>;
  /**
   * Removes the owner of a task that is not final, so that the next process that claims gets it at once. `false` if it is final or unknown.
   */
  takeBack(id: string): Promise<boolean>;
  /**
   * Records that a submitted task is to be cancelled. Resolves to `false`, without changing anything, if it is not submitted, or if that was
   * recorded less than `againAfterMs` ago.
   */
  askToCancel(id: string, nowMs: number, againAfterMs: number): Promise<boolean>;
  /** Removes what `askToCancel` recorded at this time, because the upstream refused. */
  cancelRefused(id: string, askedAtMs: number): Promise<void>;
  /**
   * Deletes a final task for clients: its content is gone, and its row remains until `untilMs` at the latest, so that lists can continue
   * after it. `false` if it is not final or was deleted before.
   */
  deleteFinal(id: string, nowMs: number, untilMs: number): Promise<boolean>;
  /** Releases all tasks of this process, which is shutting down. */
  giveBack(owner: string): Promise<void>;
  /** Resolves to the claims of this process's tasks that are not final, by id. */
  claimsOf(owner: string): Promise<ReadonlyMap<string, number>>;
  /** Resolves to the number of the account's tasks that are not final. */
  countOpen(accountId: string): Promise<number>;
  /** Resolves to tasks from newest to oldest, without deleted ones. */
  list(query: TaskQuery, limit: number): Promise<readonly Task[]>;
  /** Resolves to counts of the tasks that are not final. */
  figures(): Promise<readonly OpenTasks[]>;
  /** Removes at most `limit` expired tasks; resolves to the number removed. */
  removeExpired(nowMs: number, limit: number): Promise<number>;
}
