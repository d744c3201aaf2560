import type { JobTicket } from '../../domain/tasks/job.ts';
import type { OperationWire, TaskWire } from '../../formats/wire.ts';

/** What is needed of a wire to look after a job that was submitted over it. */
export type PolledJobs = Pick<
  TaskWire,
  | 'intervals'
  | 'holdsFiles'
  | 'poll'
  | 'decodePoll'
  | 'decodeRefusal'
  | 'batch'
  | 'find'
  | 'decodeFound'
  | keyof OperationWire
> & {
  /** Whether the upstream can be asked for this job; it always can where this is absent. */
  isAskable?(ticket: JobTicket): boolean;
};
