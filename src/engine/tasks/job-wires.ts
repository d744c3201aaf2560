import { taskWires } from '../../formats/task-wires.ts';
import type { OperationWire, TaskWire } from '../../formats/wire.ts';

/** What is needed of a wire to look after a job that was submitted over it. */
export type PolledJobs = Pick<
  TaskWire,
  'intervals' | 'poll' | 'decodePoll' | 'batch' | 'find' | 'decodeFound' | keyof OperationWire
>;

/** By the name of the wire; `null` where jobs over it are not known any more. */
export function polledJobs(name: string): PolledJobs | null {
  return taskWires.get(name) ?? null;
}
