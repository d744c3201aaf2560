import { taskWires } from '../../formats/task-wires.ts';
import { imageJobs } from './image-jobs.ts';
import type { PolledJobs } from './polled-jobs.ts';

const ofImages = new Map<string, PolledJobs | null>();

/** By the name of the wire; `null` where jobs over it are not known any more. */
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
