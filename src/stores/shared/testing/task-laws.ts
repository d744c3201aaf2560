import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  isFinal,
  predecessorsOf,
  TASK_STAGES,
  type Task,
  type TaskChanges,
  type TaskEnding,
} from '../../../domain/tasks/task.ts';
import type { TaskStore } from '../../../engine/ports/task-store.ts';
import { sampleTask } from '../../../engine/ports/testing/samples.ts';

const OWNERS = ['node-a', 'node-b', 'node-c'] as const;
const owner = fc.constantFrom(...OWNERS);
/** Mostly the current claim, so that histories make progress. */
const staleness = fc.constantFrom(0, 0, 0, 0, 1, 2);
const change = fc.record({
  which: fc.nat(),
  stale: staleness,
  stage: fc.option(fc.constantFrom(...TASK_STAGES), { nil: undefined }),
  progress: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
  isEnded: fc.boolean(),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), owner }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), change }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('all' as const), all: fc.array(change, { maxLength: 6 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('alive' as const), owner, forMs: fc.nat(6) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('claim' as const), owner, limit: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('take-back' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give-back' as const), owner }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Compares random histories of three processes and their tasks with plain rules: a lost claim never writes, endings and final stages never
 * change, and each task has at most one owner.
 */
export function taskLawTests(store: () => TaskStore, histories: number): void {
  let made = 0;

  test(`the laws of tasks hold after every step of ${histories} histories`, async () => {
    const history = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      made += 1;
      const expected = new ExpectedTasks(store(), `history-${made}`);
      for (const next of steps) {
        await expected.take(next);
        await expected.check();
      }
      await expected.clear();
    });
    await fc.assert(history, { numRuns: histories, seed: 1 });
  }, 300_000);

  const crowds = Math.ceil(histories / 2);
  test(`in ${crowds} rounds of concurrent claims each task goes to one process at a time, and ends once`, async () => {
    const crowd = fc.record({
      tasks: fc.integer({ min: 1, max: 12 }),
      limits: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 8 }),
    });
    const property = fc.asyncProperty(crowd, async ({ tasks, limits }) => {
      made += 1;
      await runCrowd(store(), `crowd-of-tasks-${made}`, tasks, limits);
    });
    await fc.assert(property, { numRuns: crowds, seed: 1 });
  }, 300_000);
}

class ExpectedTasks {
  readonly #store: TaskStore;
  readonly #name: string;
  readonly #tasks: Task[] = [];
  readonly #aliveUntil = new Map<string, number>();
  #nowMs = 0;

  constructor(store: TaskStore, name: string) {
    this.#store = store;
    this.#name = name;
  }

  async take(next: Step): Promise<void> {
    this.#nowMs += 1;
    if (next.do === 'create') await this.#create(next.owner);
    if (next.do === 'change') await this.#change(next.change);
    if (next.do === 'all') await this.#changeAll(next.all);
    if (next.do === 'alive') await this.#alive(next.owner, next.forMs);
    if (next.do === 'claim') await this.#claim(next.owner, next.limit);
    if (next.do === 'take-back') await this.#takeBack(next.which);
    if (next.do === 'give-back') await this.#giveBack(next.owner);
  }

  async check(): Promise<void> {
    const all = await this.#store.list({ accountId: this.#name }, 1_000);
    expect(all).toEqual(this.#tasks.toReversed());
    const open = this.#tasks.filter(({ stage }) => !isFinal(stage));
    expect(await this.#store.countOpen(this.#name)).toBe(open.length);
    expect((await this.#store.figures()).reduce((sum, { count }) => sum + count, 0)).toBe(open.length);
  }

  /** Removes everything that the next history could claim. */
  async clear(): Promise<void> {
    for (const name of OWNERS) await this.#store.giveBack(name);
    const open = await this.#store.claim('cleaner', this.#nowMs, 1_000);
    const expiresAtMs = this.#nowMs;
    await this.#store.changeAll(open.map(({ id, claim }) => ({ id, claim, changes: { stage: 'closing' } })));
    await this.#store.changeAll(
      open.map(({ id, claim }) => ({ id, claim, changes: { stage: 'failed', expiresAtMs } })),
    );
    expect(await this.#store.removeExpired(this.#nowMs, 1_000)).toBe(open.length);
  }

  async #create(name: string): Promise<void> {
    const id = `${this.#name}:${String(this.#tasks.length).padStart(3, '0')}`;
    const task = sampleTask({ id, accountId: this.#name, owner: name, createdAtMs: this.#nowMs });
    await this.#store.create(task);
    this.#tasks.push(task);
  }

  async #change(next: Change): Promise<void> {
    const task = this.#at(next.which);
    if (task === undefined) return;
    const changes = this.#changesOf(next);
    const claim = task.claim - next.stale;
    expect(await this.#store.change(task.id, claim, changes)).toBe(this.#apply(task, claim, changes));
  }

  async #changeAll(all: readonly Change[]): Promise<void> {
    const given = all.flatMap((next) => {
      const task = this.#at(next.which);
      return task === undefined
        ? []
        : [{ id: task.id, claim: task.claim - next.stale, changes: this.#changesOf(next) }];
    });
    const results = await this.#store.changeAll(given);
    const expected = given.map(({ id, claim, changes }) => {
      const task = this.#tasks.find((known) => known.id === id);
      return task !== undefined && this.#apply(task, claim, changes);
    });
    expect(results).toEqual(expected);
  }

  async #alive(name: string, forMs: number): Promise<void> {
    await this.#store.alive(name, this.#nowMs + forMs);
    this.#aliveUntil.set(name, this.#nowMs + forMs);
  }

  async #claim(name: string, limit: number): Promise<void> {
    const isAlive = (other: string) => (this.#aliveUntil.get(other) ?? 0) > this.#nowMs;
    const free = this.#tasks.filter((task) => !isFinal(task.stage) && (task.owner === null || !isAlive(task.owner)));
    const given = free.slice(0, limit).map((task) => this.#give(task, name));
    expect(await this.#store.claim(name, this.#nowMs, limit)).toEqual(given);
  }

  async #takeBack(which: number): Promise<void> {
    const task = this.#at(which);
    if (task === undefined) return;
    const isOpen = !isFinal(task.stage);
    expect(await this.#store.takeBack(task.id)).toBe(isOpen);
    if (isOpen) this.#give(task, null);
  }

  async #giveBack(name: string): Promise<void> {
    await this.#store.giveBack(name);
    this.#aliveUntil.delete(name);
    for (const task of [...this.#tasks]) if (task.owner === name && !isFinal(task.stage)) this.#give(task, null);
  }

  #at(which: number): Task | undefined {
    return this.#tasks[which % this.#tasks.length];
  }

  #changesOf({ stage, progress, isEnded }: Change): TaskChanges {
    return {
      ...(stage === undefined ? {} : { stage }),
      ...(progress === undefined ? {} : { progress }),
      ...(isEnded && stage === 'closing' ? { ending: failedAt(`${this.#nowMs}`) } : {}),
    };
  }

  #apply(task: Task, claim: number, changes: TaskChanges): boolean {
    const { stage, ending } = changes;
    const isLegal = stage === undefined ? !isFinal(task.stage) : predecessorsOf(stage).includes(task.stage);
    if (task.claim !== claim || !isLegal || (ending !== undefined && task.ending !== null)) return false;
    this.#put({ ...task, ...changes });
    return true;
  }

  #give(task: Task, name: string | null): Task {
    return this.#put({ ...task, owner: name, claim: task.claim + 1 });
  }

  #put(task: Task): Task {
    this.#tasks[this.#tasks.findIndex(({ id }) => id === task.id)] = task;
    return task;
  }
}

/** Runs processes that claim concurrently with these limits, and each try to end both their own tasks and all others. */
async function runCrowd(store: TaskStore, name: string, count: number, limits: readonly number[]): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `${name}:${String(index).padStart(3, '0')}`);
  await Promise.all(ids.map((id) => store.create(sampleTask({ id, accountId: name, owner: null }))));
  const got = await Promise.all(
    limits.map(async (limit, index) => {
      const process = `${name}:${index}`;
      await store.alive(process, 100);
      return { process, tasks: await store.claim(process, 1, limit) };
    }),
  );
  const all = got.flatMap(({ tasks }) => tasks.map(({ id }) => id));
  expect(new Set(all).size).toBe(all.length);
  await Promise.all(
    got.map(async ({ process, tasks }) => {
      const isOwn = (id: string) => tasks.some((task) => task.id === id);
      const ending = failedAt(process);
      const ends = all.map((id) => ({ id, claim: isOwn(id) ? 2 : 1, changes: { stage: 'closing', ending } as const }));
      // It cannot end another process's tasks with their earlier claims.
      expect(await store.changeAll(ends)).toEqual(all.map(isOwn));
      for (const { id } of tasks) expect((await store.find(id))?.ending).toEqual(ending);
    }),
  );
  const rest = await store.claim('rest', 100, 1_000);
  expect(rest.map(({ id }) => id)).toEqual(ids);
  await store.changeAll(rest.map(({ id, claim }) => ({ id, claim, changes: { stage: 'closing' } })));
  const last = { stage: 'failed', expiresAtMs: 1 } as const;
  await store.changeAll(rest.map(({ id, claim }) => ({ id, claim, changes: last })));
  expect(await store.removeExpired(1, 1_000)).toBe(count);
}

function failedAt(message: string): TaskEnding {
  return { kind: 'failed', code: 'upstream_error', failureKind: 'http_500', message };
}
