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
>;
