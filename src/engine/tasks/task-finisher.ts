import { Failure } from '../../domain/failure/failure.ts';
import type { JobResult } from '../../domain/tasks/job.ts';
import type { TaskEnding } from '../../domain/tasks/task.ts';
import type { Target } from '../directory/target.ts';
import { type Ended, endingOf, endTask, finishTask } from './end-task.ts';
import { keepFiles } from './keep-files.ts';
import type { PolledTask } from './polled-task.ts';
import type { TaskPorts } from './task-ports.ts';
import { workBillable } from './work-billable.ts';

/** How many results are copied at a time. */
const MOST_COPYING = 8;
/** After so many failed tries the client gets the upstream's own URL. */
const MOST_FAILED_COPIES = 3;

/** Ends tasks: files first, because a result that nobody can read is not charged. */
export class TaskFinisher {
  private copying = 0;

  constructor(private readonly ports: TaskPorts) {}

  /**
   * The job has made something. `busy`: too many results are being copied, so it is to be asked for again; a failure where a file
   * could not be copied this time.
   */
  async made(polled: PolledTask, result: JobResult, target: Target): Promise<Ended | 'busy' | Failure> {
    const { ports } = this;
    if (this.copying >= MOST_COPYING) return 'busy';
    this.copying++;
    try {
      const wanted = ports.settings.rehost ? 'all' : 'short-lived';
      const publicFiles = polled.failedCopies < MOST_FAILED_COPIES ? wanted : 'none';
      const kept = await keepFiles(ports, polled.task, result, target, {
        publicFiles,
        saved: async (files) => {
          const { id, claim } = polled.task;
          if (!(await ports.tasks.change(id, claim, { kept: files }))) return false;
          polled.task = { ...polled.task, kept: files };
          return true;
        },
      });
      if (kept === 'lost') return 'lost';
      if (kept instanceof Failure) {
        polled.failedCopies++;
        return kept;
      }
    } finally {
      this.copying--;
    }
    const { target: place, kind } = polled.task;
    if (place === null) return 'lost';
    return this.end(polled, { kind: 'made', result, billable: workBillable(kind, place.asked, result) });
  }

  failed(polled: PolledTask, failure: Failure): Promise<Ended> {
    return this.end(polled, endingOf(failure));
  }

  /** Goes on with an ending that was begun. */
  finish(polled: PolledTask): Promise<Ended> {
    const { ending, task } = polled;
    return ending === null ? finishTask(this.ports, task) : this.end(polled, ending);
  }

  private async end(polled: PolledTask, ending: TaskEnding): Promise<Ended> {
    polled.ending = ending;
    const ended = await endTask(this.ports, polled.task, ending);
    if (ended === 'ended') polled.task = { ...polled.task, stage: ending.kind === 'made' ? 'completed' : 'failed' };
    return ended;
  }
}
