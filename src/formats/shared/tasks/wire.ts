import type { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest, VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork, JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import type { OperationWire, OptionsWire, WireAnswer, WireRequest, WireTarget } from '../../wire.ts';

/**
 * A wire for work that outlives the request: a job is submitted once and polled until it is done; poll URLs follow the rules of
 * `nextUrl`. All answers that are decoded have a 2xx status; others go to `decodeFailure`.
 */
export interface TaskWire<Request extends GenerationRequest = GenerationRequest> extends OperationWire, OptionsWire {
  /** The upstream takes images by URL. For other wires the gateway fetches them, and they are `inline`. */
  readonly takesUrls?: true;
  /**
   * Names of `provider_options` that change the price. `asks` reads them, so they are charged for and may be sent on channels
   * that accounts share.
   */
  readonly pricedOptions?: readonly string[];
  /** Absent if the default intervals apply. */
  readonly intervals?: PollIntervals;
  /** Poll answers may contain the files themselves. Those of other wires are small; larger ones are refused. */
  readonly holdsFiles?: true;
  /** Returns what `encodeRequest` will ask for, which determines the price: a client's length or size is often approximated. */
  asks(request: Request, target: WireTarget): AskedWork;
  encodeRequest(
    request: Request,
    target: WireTarget,
    context: JobContext,
  ): WireRequest | Failure | Promise<WireRequest | Failure>;
  /** Reads the answer to the submission. If it reports a failure, this returns a `Failure`, and nothing was submitted. */
  decodeSubmission(answer: WireAnswer, request: Request, target: WireTarget): Submission | Failure;
  poll(ticket: JobTicket, target: WireTarget): PollRequest;
  /** Returns a failure if the answer cannot be read: the job continues and is polled again. */
  decodePoll(answer: WireAnswer, ticket: JobTicket, target: WireTarget): JobReport | Failure;
  /**
   * Returns how the job ends, for upstreams that report a failed job with an error status. `failure` is what `decodeFailure` made
   * of the answer to `poll`. `null` if the job continues and is polled again; absent if that is always so.
   */
  decodeRefusal?(failure: Failure, ticket: JobTicket): JobReport | null;
  readonly batch?: BatchedPolls;
  /**
   * Asks whether a job of this name exists, after a submission with an unknown outcome. Absent if the upstream cannot be asked.
   */
  find?(context: JobContext, target: WireTarget): PollRequest;
  /**
   * Reads the answer to `find`; `null` if there is no such job. An HTTP 404 means the same. A failed job counts as found, and its
   * report says that it failed; a returned failure means that the upstream is asked again.
   */
  decodeFound?(answer: WireAnswer, context: JobContext, target: WireTarget): Submission | null | Failure;
  /**
   * Encodes a request to change the result of an earlier job by a prompt, for an upstream that changes only videos that it made. `ticket` is
   * that job's. What it makes costs as much as that job. Absent if the upstream has no such request.
   */
  remix?(ticket: JobTicket, request: Pick<VideoRequest, 'prompt'>): WireRequest | Failure;
  /** Absent if the upstream cannot cancel jobs. */
  readonly cancel?: JobCancel;
}

/** A request for the state of jobs. */
export interface PollRequest {
  /** `GET` if absent. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * A path below the channel's base address, starting with `/` and including the query, or an absolute URL from the upstream. If
   * that URL's host belongs to another domain, the request goes to the channel's own address instead.
   */
  readonly url: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Sent in addition to the headers that authorize the channel. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * How a job is cancelled. The engine asks only for a job that was still waiting or working a moment ago, since the same request deletes the
 * result of a finished job at some upstreams.
 */
export interface JobCancel {
  /**
   * Whether the upstream also ends a job that has begun, and bills nothing for it, or may bill what it has done until then. If absent, it
   * ends only jobs that are queued, which are not billed.
   */
  readonly endsBegun?: 'free' | 'billed';
  /** `null` for a job that cannot be cancelled. An error response with a 4xx status refuses it; a 404 says that the job is gone. */
  request(ticket: JobTicket, target: WireTarget): PollRequest | null;
  /** Reads a 2xx answer, whose body may be empty. `ended`: the job is over; `asked`: the next polls say what becomes of it. */
  decode(answer: WireAnswer): 'ended' | 'asked' | Failure;
}

/** Polls several jobs in one request, for an upstream that supports it. */
export interface BatchedPolls {
  /** How many jobs one request may name. */
  readonly most: number;
  /** Returns whether a job with this ticket can be polled in a batch; absent if all can. */
  takes?(ticket: JobTicket): boolean;
  poll(tickets: readonly JobTicket[], target: WireTarget): PollRequest;
  /**
   * Returns one report per ticket, in order; `null` for a job that the answer does not name, which is then polled individually.
   */
  decode(
    answer: WireAnswer,
    tickets: readonly JobTicket[],
    target: WireTarget,
  ): readonly (JobReport | null)[] | Failure;
}

/** How often a job is polled, in milliseconds. The interval is a tenth of the job's age, within the bounds. */
export interface PollIntervals {
  /** From the submission to the first poll. */
  readonly firstMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** The gateway's additions to a job's request. */
export interface JobContext {
  /**
   * The gateway's own name for the job: letters, digits and underscores, at most 40. A wire sends it if the upstream stores such
   * a name and can look a job up by it (`find`).
   */
  readonly reference: string;
  /** See `AskedWork.address`. */
  readonly address?: string;
}
