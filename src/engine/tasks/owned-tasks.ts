import { isFinal, type Task } from '../../domain/tasks/task.ts';
import { describeError } from '../../domain/text/describe-error.ts';
import { PollSchedule, USUAL_INTERVALS } from './poll-schedule.ts';
import { PolledTask } from './polled-task.ts';
import type { TaskPorts } from './task-ports.ts';

/** How long after a process's last heartbeat others take over its tasks. */
const LEASE_MS = 30_000;
const CLAIMED_AT_ONCE = 500;

/** The tasks that this process follows: takes them over, schedules the work on them, and writes their changes. */
export class OwnedTasks {
  private readonly tasks = new Map<string, PolledTask>();
  private readonly schedule = new PollSchedule<PolledTask>();
  /** Tasks with changes that have not been written yet. */
  private readonly changed = new Set<PolledTask>();
  /** The number of tasks of each account. */
  private readonly openBy = new Map<string, number>();
  private isStopped = false;
  private isClaiming = false;
  private isSaving = false;

  constructor(
    private readonly ports: Pick<TaskPorts, 'tasks' | 'owner' | 'clock' | 'logger' | 'random' | 'settings'>,
  ) {}

  get size(): number {
    return this.tasks.size;
  }

  get accountCount(): number {
    return this.openBy.size;
  }

  /** Returns a task that is due, or `null`. It may have been dropped since it was scheduled. */
  next(nowMs: number): PolledTask | null {
    return this.schedule.next(nowMs);
  }

  /** Renews the heartbeat, and takes over tasks whose process has ended. */
  async claim(): Promise<void> {
    if (this.isClaiming || this.isStopped) return;
    this.isClaiming = true;
    const { tasks, owner, clock, logger } = this.ports;
    try {
      for (;;) {
        const nowMs = clock.nowMs();
        await tasks.alive(owner, nowMs + LEASE_MS);
        const claimed = await tasks.claim(owner, nowMs, CLAIMED_AT_ONCE);
        for (const task of claimed) this.takeOver(task);
        if (claimed.length < CLAIMED_AT_ONCE || this.isStopped) return;
      }
    } catch (error) {
      logger.warn(describeError(error), 'tasks could not be claimed');
    } finally {
      this.isClaiming = false;
    }
  }

  /**
   * Drops the tasks that an operator or another process has taken over or ended. A write would reveal that, but a job whose state never
   * changes causes no writes.
   */
  async dropLost(): Promise<void> {
    try {
      for (const polled of await this.lost()) this.drop(polled);
    } catch (error) {
      this.ports.logger.warn(describeError(error), 'the tasks that this process still owns could not be read');
    }
  }

  private async lost(): Promise<readonly PolledTask[]> {
    const known = [...this.tasks.values()];
    if (known.length === 0) return [];
    const claims = await this.ports.tasks.claimsOf(this.ports.owner);
    // A task whose end is being written is left to that write.
    return known.filter(({ task, ending }) => ending === null && claims.get(task.id) !== task.claim);
  }

  /** Takes a task over. First polls are spread randomly over the usual interval. */
  private takeOver(task: Task): void {
    const { clock, random, settings } = this.ports;
    const waitMs = random() * (settings.pollIntervalMs ?? USUAL_INTERVALS.leastMs);
    this.add(new PolledTask(task, null), clock.monotonicMs() + waitMs);
  }

  /** Follows the task from now on. */
  add(polled: PolledTask, dueAtMs: number): void {
    const known = this.tasks.get(polled.task.id);
    if (known !== undefined) this.drop(known);
    this.tasks.set(polled.task.id, polled);
    const { accountId } = polled.task;
    this.openBy.set(accountId, (this.openBy.get(accountId) ?? 0) + 1);
    if (polled.changes !== null) this.changed.add(polled);
    polled.dueAtMs = dueAtMs;
    this.schedule.add(polled);
  }

  drop(polled: PolledTask): void {
    polled.isDropped = true;
    this.changed.delete(polled);
    const { id, accountId } = polled.task;
    if (this.tasks.get(id) !== polled) return;
    this.tasks.delete(id);
    const left = (this.openBy.get(accountId) ?? 1) - 1;
    if (left > 0) this.openBy.set(accountId, left);
    else this.openBy.delete(accountId);
  }

  /** Schedules the next work on the task. */
  put(polled: PolledTask, waitMs: number): void {
    if (polled.isDropped) return;
    if (polled.changes !== null) this.changed.add(polled);
    polled.dueAtMs = this.ports.clock.monotonicMs() + waitMs;
    this.schedule.add(polled);
  }

  /** Writes all changes since the last time in one batch. */
  async save(): Promise<void> {
    if (this.isSaving || this.changed.size === 0) return;
    this.isSaving = true;
    const changed = [...this.changed].filter(({ isDropped }) => !isDropped);
    this.changed.clear();
    const sent = changed.map((polled) => ({ polled, changes: polled.takeChanges() }));
    try {
      const written = await this.ports.tasks.changeAll(
        sent.map(({ polled: { task }, changes }) => ({ id: task.id, claim: task.claim, changes })),
      );
      for (const [index, { polled }] of sent.entries()) if (written[index] === false) await this.refused(polled);
    } catch (error) {
      for (const { polled, changes } of sent) {
        polled.putBack(changes);
        this.changed.add(polled);
      }
      this.ports.logger.warn(describeError(error), 'task changes could not be stored yet');
    } finally {
      this.isSaving = false;
    }
  }

  /** Handles a refused change: either the task is lost and is dropped, or this process has since got further with it and keeps it. */
  private async refused(polled: PolledTask): Promise<void> {
    const { id, claim, stage } = polled.task;
    if (polled.isDropped || isFinal(stage)) return;
    const known = await this.ports.tasks.find(id);
    if (known?.claim !== claim || isFinal(known.stage)) this.drop(polled);
  }

  /** Ends the taking over of tasks. */
  stop(): void {
    this.isStopped = true;
  }

  /** Writes the rest, and releases all tasks, so that another process takes them over at once. */
  async release(): Promise<void> {
    await this.save();
    try {
      await this.ports.tasks.giveBack(this.ports.owner);
    } catch (error) {
      this.ports.logger.warn(describeError(error), 'tasks could not be released');
    }
  }
}
