import { Failure } from '../../domain/failure/failure.ts';
import type { JobResult } from '../../domain/tasks/job.ts';
import type { TaskEnding } from '../../domain/tasks/task.ts';
import type { Target } from '../directory/target.ts';
import { firstItems, storedResult } from './bounded-result.ts';
import { CANCELLED } from './cancelled.ts';
import { type Ended, endingOf, endTask, finishTask } from './end-task.ts';
import { filesToCopy, type KeepOptions, keepFiles } from './keep-files.ts';
import type { PolledTask } from './polled-task.ts';
import type { TaskPorts } from './task-ports.ts';
import { workBillable } from './work-billable.ts';

/** The most results that are copied at a time, in total and per account. */
const MOST_COPYING = 16;
const MOST_COPYING_OF_ACCOUNT = 4;
/** After this many failed attempts the client gets the upstream's own URL. */
const MOST_FAILED_COPIES = 3;

/** Ends tasks. Files are kept first, because an unreadable result is not charged. */
export class TaskFinisher {
  private copying = 0;
  private readonly copyingOf = new Map<string, number>();

  constructor(private readonly ports: TaskPorts) {}

  /**
   * Ends a task whose job has a result. `busy`: too many results are being copied, so it has to be polled again; a failure if a file could
   * not be copied this time.
   */
  async made(polled: PolledTask, made: JobResult, target: Target): Promise<Ended | 'busy' | Failure> {
    const result = firstItems(made);
    const wanted = this.ports.settings.rehost ? 'all' : 'short-lived';
    const publicFiles = polled.failedCopies < MOST_FAILED_COPIES ? wanted : 'none';
    if (filesToCopy(result, polled.task.kept, publicFiles).length > 0) {
      const { accountId } = polled.task;
      if (!this.begins(accountId)) return 'busy';
      const copied = await this.copy(polled, result, target, publicFiles).finally(() => this.ends(accountId));
      if (copied !== 'copied') return copied;
    }
    const { target: place, kind, kept } = polled.task;
    if (place === null) return 'lost';
    const billable = result.billable ?? workBillable(kind, place.asked, result);
    await this.giveClips(polled, result, target.place);
    return this.end(polled, { kind: 'made', result: storedResult(result, kept), billable });
  }

  /** Records that only this account may continue its clips. Written before the client can see them. */
  private async giveClips({ task }: PolledTask, { items }: JobResult, place: string): Promise<void> {
    const ids = items.flatMap(({ clipId }) => clipId ?? []);
    await this.ports.objects.given({ accountId: task.accountId, ids, place, responseId: null });
  }

  private async copy(
    polled: PolledTask,
    result: JobResult,
    target: Target,
    publicFiles: KeepOptions['publicFiles'],
  ): Promise<'copied' | 'lost' | Failure> {
    const { ports } = this;
    const kept = await keepFiles(ports, polled.task, result, target, {
      publicFiles,
      saved: async (files) => {
        const { id, claim } = polled.task;
        if (!(await ports.tasks.change(id, claim, { kept: files }))) return false;
        polled.task = { ...polled.task, kept: files };
        return true;
      },
    });
    if (kept === 'lost') return kept;
    if (!(kept instanceof Failure)) return 'copied';
    polled.failedCopies++;
    return kept;
  }

  private begins(accountId: string): boolean {
    const own = this.copyingOf.get(accountId) ?? 0;
    if (this.copying >= MOST_COPYING || own >= MOST_COPYING_OF_ACCOUNT) return false;
    this.copying++;
    this.copyingOf.set(accountId, own + 1);
    return true;
  }

  private ends(accountId: string): void {
    this.copying--;
    const left = (this.copyingOf.get(accountId) ?? 1) - 1;
    if (left > 0) this.copyingOf.set(accountId, left);
    else this.copyingOf.delete(accountId);
  }

  /** Ends a task whose job has failed. If it was to be cancelled, and the upstream did not refuse, that is why. */
  async failed(polled: PolledTask, failure: Failure): Promise<Ended> {
    return await this.end(polled, (await this.isToBeCancelled(polled)) ? CANCELLED : endingOf(failure));
  }

  /** Reads the row, which another process may have changed; the task in memory is enough if it cannot be read. */
  private async isToBeCancelled({ task }: PolledTask): Promise<boolean> {
    if (task.cancelAskedAtMs !== null) return true;
    const known = await this.ports.tasks.find(task.id).catch(() => null);
    return known?.cancelAskedAtMs != null;
  }

  /** Continues an ending that was begun. */
  finish(polled: PolledTask): Promise<Ended> {
    const { ending, task } = polled;
    return ending === null ? finishTask(this.ports, task, polled.polls) : this.end(polled, ending);
  }

  private async end(polled: PolledTask, ending: TaskEnding): Promise<Ended> {
    polled.ending = ending;
    const ended = await endTask(this.ports, polled.task, ending, polled.polls);
    if (ended === 'ended') polled.task = { ...polled.task, stage: ending.kind === 'made' ? 'completed' : 'failed' };
    return ended;
  }
}
