import { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import type { WireAnswer, WireTarget } from '../../wire.ts';
import { failureInAnswer, jsonObject } from '../failure/error-in-answer.ts';
import { textOrEmpty } from '../json/json-values.ts';
import { entryOf } from '../json/record.ts';
import { failed, jobEnded, jobWithoutId, taken, unknownState, working } from './job-answer.ts';
import { jobId } from './job-file.ts';
import type { TaskWire } from './wire.ts';

type Json = Readonly<Record<string, unknown>>;

/** The meaning of a provider's status. `lost`: the provider no longer has the job. */
export type JobState = 'pending' | 'processing' | 'done' | 'failed' | 'canceled' | 'expired' | 'lost';

/** How the job in an answer is read: an object with a status, and a result or an error. */
export interface StatusTables {
  /** The member with the status. */
  readonly status: string;
  readonly states: Readonly<Record<string, JobState>>;
  /** The provider writes its statuses in either case; the keys of `states` are in lower case. */
  readonly isAnyCase?: true;
  /** Returns the meaning of a job whose status is not listed; it is polled again if this is absent or `null`. */
  otherwise?(job: Json): JobReport | Failure | null;
  /** Returns whole percent, or `null`. */
  progressOf?(job: Json): number | null;
  resultOf(job: Json, ticket: JobTicket, target: WireTarget): JobReport | Failure;
  failureOf(job: Json): Failure;
}

/** How a provider's answers to submissions and polls are read. */
export interface JobTables<Request extends GenerationRequest = GenerationRequest> extends StatusTables {
  /** Returns the job in an answer, or the failure that the answer reports instead. Absent if the answer itself is the job. */
  jobIn?(body: Json, answer: WireAnswer): Json | Failure;
  /** The member with the job's id. */
  readonly id: string;
  /** Reads the id; `jobId` if absent. */
  readId?(value: unknown): string | null;
  /** Returns the failure for the answer to a submission that names no job; `null` for an answer without an error. */
  refusalIn?(body: Json): Failure | null;
  /** Returns what the ticket needs besides the id. */
  ticketOf?(request: Request, target: WireTarget): JobTicket;
  /** The answer to a submission already has the job's status, too. */
  readonly isToldAtOnce?: true;
  /** Returns the path at which a job is polled. The id is percent-encoded. */
  pathOf(id: string, ticket: JobTicket): string;
  readonly pollHeaders?: Readonly<Record<string, string>>;
}

/** Implements the members of a task wire that read a provider's answers about its jobs. */
export function jobs<Request extends GenerationRequest>(
  tables: JobTables<Request>,
): Pick<TaskWire<Request>, 'decodeSubmission' | 'poll' | 'decodePoll'> {
  const { readId = jobId, pollHeaders: headers } = tables;
  const jobIn = (body: Json | Failure, answer: WireAnswer) =>
    body instanceof Failure ? body : (tables.jobIn?.(body, answer) ?? body);
  return {
    decodeSubmission(answer, request, target) {
      const body = jsonObject(answer.bytes);
      if (body instanceof Failure) return body;
      const job = jobIn(body, answer);
      if (job instanceof Failure) return job;
      const id = readId(job[tables.id]);
      if (id === null) return tables.refusalIn?.(body) ?? jobWithoutId();
      const ticket: JobTicket = { id, ...tables.ticketOf?.(request, target) };
      return taken(ticket, tables.isToldAtOnce ? jobReport(tables, job, ticket, target) : working('pending'));
    },
    poll: (ticket) => {
      const url = tables.pathOf(encodeURIComponent(ticket.id ?? ''), ticket);
      return headers === undefined ? { url } : { url, headers };
    },
    decodePoll(answer, ticket, target) {
      const job = jobIn(jsonObject(answer.bytes), answer);
      return job instanceof Failure ? job : jobReport(tables, job, ticket, target);
    },
  };
}

/** Reads one job. */
export function jobReport(tables: StatusTables, job: Json, ticket: JobTicket, target: WireTarget): JobReport | Failure {
  const status = job[tables.status];
  const word = tables.isAnyCase ? textOrEmpty(status).toLowerCase() : textOrEmpty(status);
  const state = typeof status === 'string' ? entryOf(tables.states, word) : undefined;
  switch (state) {
    case undefined:
      return tables.otherwise?.(job) ?? unknownState();
    case 'pending':
    case 'processing':
      return working(state, tables.progressOf?.(job));
    case 'done':
      return tables.resultOf(job, ticket, target);
    case 'failed':
      return failed(tables.failureOf(job));
    default:
      return failed(jobEnded(`job_${state}`));
  }
}

/** Reads the member `error` of an answer; `null` if it says nothing. */
export function errorMember({ error }: Json): Failure | null {
  return failureInAnswer(error);
}
