import type { EmbeddingJob, EmbeddingProblem } from './embedding-job.ts';

/** The limit for all waiting and running requests, in characters: about 100 s on one core of 2020. */
const MOST_COST = 800_000;
/** The limit for one owner; the largest request always fits into an owner's empty queue. */
const MOST_COST_OF_ONE = 400_000;
const COST_PER_SECOND = 8_000;
const LONGEST_RETRY_S = 60;

/** Requests by owner. Owners take turns, and so do the requests of one owner. */
export class EmbeddingQueue {
  /** Requests by owner; the next in turn first. */
  private readonly waiting = new Map<string, EmbeddingJob[]>();
  private refused = 0;

  /** The characters of all requests, and the requests that were refused because those of all owners filled the queue. */
  get figures() {
    const waiting = costOf([...this.waiting.values()].flat());
    return { waiting, capacity: MOST_COST, lateMs: null, dropped: this.refused, failedWrites: 0 };
  }

  /** Adds a job; returns the reason if there is no room, otherwise `null`. */
  add(owner: string, job: EmbeddingJob): Extract<EmbeddingProblem, { kind: 'busy' }> | null {
    const own = this.waiting.get(owner) ?? [];
    const ownCost = costOf(own);
    const allCost = costOf([...this.waiting.values()].flat());
    const isOwn = ownCost + job.cost > MOST_COST_OF_ONE;
    if (isOwn || allCost + job.cost > MOST_COST) {
      if (!isOwn) this.refused++;
      const retryAfterS = Math.ceil((isOwn ? ownCost : allCost) / COST_PER_SECOND);
      return { kind: 'busy', isOwn, retryAfterS: Math.min(LONGEST_RETRY_S, Math.max(1, retryAfterS)) };
    }
    own.push(job);
    this.waiting.set(owner, own);
    return null;
  }

  /**
   * Returns the next job and moves it to the end of its owner's jobs, and its owner to the end of all. It stays in the queue
   * until it is removed.
   */
  take(): EmbeddingJob | null {
    const [next] = this.waiting;
    if (next === undefined) return null;
    const [owner, jobs] = next;
    const [job, ...others] = jobs;
    this.waiting.delete(owner);
    if (job === undefined) return this.take();
    this.waiting.set(owner, [...others, job]);
    return job;
  }

  remove(job: EmbeddingJob): void {
    for (const [owner, jobs] of this.waiting) {
      const at = jobs.indexOf(job);
      if (at < 0) continue;
      jobs.splice(at, 1);
      if (jobs.length === 0) this.waiting.delete(owner);
    }
  }
}

function costOf(jobs: readonly EmbeddingJob[]): number {
  return jobs.reduce((sum, { cost }) => sum + cost, 0);
}
