import { cpus } from 'node:os';

/** How long a started job is watched before another one joins it. */
const LOOK_MS = 500;
/** Less than this share of the cores is left for another job. */
const SPARE = 0.15;

export interface JobBounds {
  /** The least and the most jobs at a time. */
  readonly least: number;
  readonly most: number;
}

/** Tells whether the machine has cores to spare, and when to ask again. */
export interface Machine {
  hasSpareCores(): boolean;
  pause(): Promise<void>;
}

/**
 * Runs jobs in their order. Beyond the least number of jobs, another one starts only while cores are idle: jobs wait for timers, disks and servers, so two
 * of them rarely occupy two cores, but six that compete for two evict each other from the caches.
 *
 * @returns the results, in the order in which the jobs ended
 */
export async function runJobs<Result>(
  jobs: readonly (() => Promise<Result>)[],
  { least, most }: JobBounds,
  machine: Machine = new LookedAtMachine(),
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const running = new Set<Promise<void>>();
  const begin = (job: () => Promise<Result>) => {
    const run = job().then((result) => {
      results.push(result);
      running.delete(run);
    });
    running.add(run);
  };
  for (const job of jobs) {
    while (running.size >= least && (running.size >= most || !machine.hasSpareCores())) {
      await Promise.race([...running, machine.pause()]);
    }
    begin(job);
  }
  await Promise.all(running);
  return results;
}

/** Looks at the idle time of all cores since the last start of a job. */
class LookedAtMachine implements Machine {
  private last = times();
  private isSpare = false;

  async pause(): Promise<void> {
    this.last = times();
    await Bun.sleep(LOOK_MS);
    const now = times();
    this.isSpare = now.idle - this.last.idle > SPARE * (now.all - this.last.all);
  }

  /** One look is good for one job, whose work the next look shows. */
  hasSpareCores(): boolean {
    const { isSpare } = this;
    this.isSpare = false;
    return isSpare;
  }
}

/** Returns the time of all cores since the start of the machine, in milliseconds, and how much of it they were idle. */
function times(): { readonly idle: number; readonly all: number } {
  const cores = cpus().map((core) => core.times);
  const all = cores.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { idle: cores.reduce((sum, { idle }) => sum + idle, 0), all };
}
