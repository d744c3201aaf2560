import type { JobTicket } from '../../domain/tasks/job.ts';
import type { TaskWire } from '../../formats/shared/tasks/wire.ts';
import type { OperationWire } from '../../formats/wire.ts';

/** The members of a wire that are needed to follow a job submitted over it. */
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
  /** Returns whether the upstream can be polled for this job. If absent, it always can. */
  isAskable?(ticket: JobTicket): boolean;
};
