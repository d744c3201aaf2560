import type { JobTicket } from '../../../domain/tasks/job.ts';
import type { JobCancel, PollRequest } from './wire.ts';

interface CancelPath extends Pick<JobCancel, 'endsBegun'>, Pick<PollRequest, 'headers'> {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Returns the path below the channel's base address; `null` for a job that cannot be cancelled. */
  pathOf(ticket: JobTicket): string | null;
  /** `ended` if a 2xx answer means that the job is over; otherwise the next polls say what becomes of it. */
  readonly means: 'ended' | 'asked';
}

/** Implements `TaskWire.cancel` for an upstream whose 2xx answers all mean the same. */
export function cancelBy({ method, pathOf, means, headers, endsBegun }: CancelPath): JobCancel {
  return {
    ...(endsBegun !== undefined && { endsBegun }),
    request(ticket) {
      const url = pathOf(ticket);
      return url === null ? null : { method, url, ...(headers !== undefined && { headers }) };
    },
    decode: () => means,
  };
}
