import { taskWires } from '../../formats/index.ts';
import { imageJobs } from './pollable-jobs.ts';
import type { PolledJobs } from './polled-jobs.ts';

const ofImages = new Map<string, PolledJobs | null>();

/** Returns the jobs of a wire by its name; `null` if this version does not know jobs over it. */
export function polledJobs(name: string): PolledJobs | null {
  const wire = taskWires.get(name);
  if (wire !== undefined) return wire;
  let jobs = ofImages.get(name);
  if (jobs === undefined) {
    jobs = imageJobs(name);
    ofImages.set(name, jobs);
  }
  return jobs;
}
