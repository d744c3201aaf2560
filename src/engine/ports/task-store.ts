import type { Task, TaskChanges } from '../../domain/tasks/task.ts';
import type { TaskKind } from '../../domain/tasks/task-kind.ts';
import type { TaskStage } from '../../domain/tasks/task-stage.ts';

/** Which tasks are to be listed; all conditions that are given hold. */
export interface TaskQuery {
  readonly accountId?: string;
  readonly kind?: TaskKind;
  readonly stages?: readonly TaskStage[];
  readonly channelId?: string;
  /** The last one of the page before; it need not exist any more. */
  readonly before?: Pick<Task, 'createdAtMs' | 'id'>;
}

/** How many open tasks there are of one kind, provider and stage. */
export interface OpenTasks {
  readonly kind: TaskKind;
  /** `null` before a channel is asked. */
  readonly provider: string | null;
  readonly stage: TaskStage;
  readonly count: number;
  /** When the oldest of them was made. */
  readonly oldestAtMs: number;
}

/** A change of one of several tasks that are written together. */
export interface TaskChange {
  readonly id: string;
  readonly claim: number;
  readonly changes: TaskChanges;
}

/**
 * Tasks, durably: what a promise says is on the disk when it resolves. Of several processes that write one task, the owner's
 * writes count: a change names the claim under which it was decided, and is refused if the claim is another one by now.
 */
export interface TaskStore {
  /** Writes a new task. Throws if the id exists. */
  create(task: Task): Promise<void>;
  /** Of whatever account; also one that has expired and was not removed yet. */
  find(id: string): Promise<Task | null>;
  /**
   * Changes a task. False, and nothing is changed, if there is no such task, its claim is another one, the move from its stage is
   * not legal (`predecessorsOf`), or the change has an ending and the task has one already. A change without `stage` keeps the stage,
   * which must not be final. Where it throws it is not known whether it was done.
   */
  change(id: string, claim: number, changes: TaskChanges): Promise<boolean>;
  /** The same for many, in one transaction, each by itself; the result says of each whether it was changed. */
  changeAll(changes: readonly TaskChange[]): Promise<readonly boolean[]>;
  /**
   * Says that this process looks after its tasks until then. After that others may claim them. To be called before the first task is
   * made, and repeated well before the time.
   */
  alive(owner: string, untilMs: number): Promise<void>;
  /**
   * Makes `owner` the owner of tasks that are not final and have none, or whose owner is not alive, and raises their claims. Oldest
   * first. Of several processes that ask at once each task goes to one.
   */
  claim(owner: string, nowMs: number, limit: number): Promise<readonly Task[]>;
  /** Takes a task that is not final from its owner, so that the next process that claims takes it up at once. False if it is final or unknown. */
  takeBack(id: string): Promise<boolean>;
  /** Gives back all tasks of this process, which ends. */
  giveBack(owner: string): Promise<void>;
  /** The claims of all tasks of this process that are not final, by id. */
  claimsOf(owner: string): Promise<ReadonlyMap<string, number>>;
  /** How many tasks of the account are not final. */
  countOpen(accountId: string): Promise<number>;
  /** The newest first. */
  list(query: TaskQuery, limit: number): Promise<readonly Task[]>;
  /** Of the tasks that are not final. */
  figures(): Promise<readonly OpenTasks[]>;
  /** Removes tasks that have expired, at most so many; resolves to how many it removed. */
  removeExpired(nowMs: number, limit: number): Promise<number>;
}
