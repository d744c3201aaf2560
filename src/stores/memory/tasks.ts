import type { Task, TaskChanges } from '../../domain/tasks/task.ts';
import { isFinal, predecessorsOf } from '../../domain/tasks/task-stage.ts';
import type { OpenTasks, TaskChange, TaskQuery, TaskStore } from '../../engine/ports/task-store.ts';
import { removeWhere } from './remove-where.ts';

export class MemoryTasks implements TaskStore {
  readonly #capacity: number;
  /** Keyed by id, in insertion order. */
  readonly #tasks = new Map<string, Task>();
  /** The time until which each process is alive. */
  readonly #owners = new Map<string, number>();

  /** @param capacity the number of tasks beyond which those that ended first are dropped; open ones never are */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  async create(task: Task): Promise<void> {
    if (this.#tasks.has(task.id)) throw new Error(`There is already a task with the id ${task.id}.`);
    this.#tasks.set(task.id, { ...task });
    if (this.#tasks.size <= this.#capacity) return;
    for (const { id, stage } of this.#tasks.values()) {
      if (!isFinal(stage)) continue;
      this.#tasks.delete(id);
      return;
    }
  }

  async find(id: string): Promise<Task | null> {
    return this.#tasks.get(id) ?? null;
  }

  async change(id: string, claim: number, changes: TaskChanges): Promise<boolean> {
    const task = this.#tasks.get(id);
    if (task === undefined || task.claim !== claim || !isLegal(task, changes)) return false;
    this.#tasks.set(id, { ...task, ...withoutAbsent(changes) });
    return true;
  }

  async changeAll(changes: readonly TaskChange[]): Promise<readonly boolean[]> {
    return Promise.all(changes.map(({ id, claim, changes: fields }) => this.change(id, claim, fields)));
  }

  async alive(owner: string, untilMs: number): Promise<void> {
    this.#owners.set(owner, untilMs);
  }

  async claim(owner: string, nowMs: number, limit: number): Promise<readonly Task[]> {
    const isAlive = (name: string) => (this.#owners.get(name) ?? Number.NEGATIVE_INFINITY) > nowMs;
    const free = this.#open()
      .filter((task) => task.owner === null || !isAlive(task.owner))
      .sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
    return free.slice(0, Math.max(0, limit)).map((task) => this.#give(task, owner));
  }

  async takeBack(id: string): Promise<boolean> {
    const task = this.#tasks.get(id);
    if (task === undefined || isFinal(task.stage)) return false;
    this.#give(task, null);
    return true;
  }

  async giveBack(owner: string): Promise<void> {
    this.#owners.delete(owner);
    for (const task of this.#open()) if (task.owner === owner) this.#give(task, null);
  }

  async claimsOf(owner: string): Promise<ReadonlyMap<string, number>> {
    const own = this.#open().filter((task) => task.owner === owner);
    return new Map(own.map(({ id, claim }) => [id, claim]));
  }

  async countOpen(accountId: string): Promise<number> {
    return this.#open().filter((task) => task.accountId === accountId).length;
  }

  async list({ accountId, kind, stages, channelId, before }: TaskQuery, limit: number): Promise<readonly Task[]> {
    return [...this.#tasks.values()]
      .filter(
        (task) =>
          (accountId === undefined || task.accountId === accountId) &&
          (kind === undefined || task.kind === kind) &&
          (stages === undefined || stages.includes(task.stage)) &&
          (channelId === undefined || task.target?.channelId === channelId) &&
          (before === undefined || newestFirst(before, task) < 0),
      )
      .sort(newestFirst)
      .slice(0, Math.max(0, limit));
  }

  async figures(): Promise<readonly OpenTasks[]> {
    const groups = new Map<string, OpenTasks>();
    for (const { kind, target, stage, createdAtMs } of this.#open()) {
      const provider = target?.provider ?? null;
      const key = JSON.stringify([kind, provider, stage]);
      const { count, oldestAtMs } = groups.get(key) ?? { count: 0, oldestAtMs: createdAtMs };
      const oldest = Math.min(oldestAtMs, createdAtMs);
      groups.set(key, { kind, provider, stage, count: count + 1, oldestAtMs: oldest });
    }
    return [...groups.values()];
  }

  async removeExpired(nowMs: number, limit: number): Promise<number> {
    const expiryOf = ({ stage, expiresAtMs }: Task) =>
      (isFinal(stage) ? expiresAtMs : null) ?? Number.POSITIVE_INFINITY;
    const expired = [...this.#tasks.values()]
      .filter((task) => expiryOf(task) <= nowMs)
      .sort((a, b) => expiryOf(a) - expiryOf(b))
      .slice(0, Math.max(0, limit));
    for (const { id } of expired) this.#tasks.delete(id);
    return expired.length;
  }

  removeOf(accountId: string, isCounted: boolean): number {
    return removeWhere(this.#tasks, isCounted, (task) => task.accountId === accountId);
  }

  #open(): Task[] {
    return [...this.#tasks.values()].filter(({ stage }) => !isFinal(stage));
  }

  #give(task: Task, owner: string | null): Task {
    const given = { ...task, owner, claim: task.claim + 1 };
    this.#tasks.set(task.id, given);
    return given;
  }
}

function isLegal(task: Task, { stage, ending }: TaskChanges): boolean {
  if (ending !== undefined && task.ending !== null) return false;
  return stage === undefined ? !isFinal(task.stage) : predecessorsOf(stage).includes(task.stage);
}

/** Removes members that are `undefined`, which change nothing. */
function withoutAbsent(changes: TaskChanges): TaskChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function newestFirst(a: Pick<Task, 'createdAtMs' | 'id'>, b: Pick<Task, 'createdAtMs' | 'id'>): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}
