import { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import { jsonRequest } from '../../shared/media/image-request.ts';
import { failed, jobFailed, jobWithoutId, unknownState, working } from '../../shared/tasks/job-answer.ts';
import { cancelBy } from '../../shared/tasks/job-cancel.ts';
import { type GeneratedKind, madeItems, nothingMade } from '../../shared/tasks/made-files.ts';
import type { JobCancel, TaskWire } from '../../shared/tasks/wire.ts';
import type { NextRequest, WireAnswer, WireTarget } from '../../wire.ts';
import { falFailure } from './fal-failure.ts';
import { type HostedKind, wantedFormat } from './hosted.ts';

/*
 * fal's queue (fal.ai/docs, "Asynchronous inference"): `POST /{model}` submits the job, `GET /{app}/requests/{id}/status` is
 * polled until it is COMPLETED, and `GET /{app}/requests/{id}` returns the result, or the job's error with its own status.
 */

/** First segments of ids that name a kind of app before its owner. */
const NAMESPACES: ReadonlySet<string> = new Set(['workflows', 'comfy']);

/** Returns the path at which a model accepts jobs. */
export function falPath(model: string): string {
  return `/${model.split('/').map(encodeURIComponent).join('/')}`;
}

/** Returns the path of a job's URLs, which has only the app and not the path within it: `/fal-ai/flux` for `fal-ai/flux/dev`. */
function appPath(model: string): string {
  const segments = model.split('/');
  return falPath(segments.slice(0, NAMESPACES.has(segments[0] ?? '') ? 3 : 2).join('/'));
}

/** The state of a submitted job. */
type FalJob =
  | { readonly state: 'working'; readonly status: 'pending' | 'processing'; readonly id: string | null }
  /** The result can be read; `failure` is what the status reports about a job in error, whose result has more details. */
  | { readonly state: 'completed'; readonly id: string | null; readonly failure: Failure | null }
  | { readonly state: 'failed'; readonly failure: Failure };

const WORKING: Readonly<Record<string, 'pending' | 'processing'>> = { IN_QUEUE: 'pending', IN_PROGRESS: 'processing' };
/**
 * Kinds of errors that may be the client's fault, as the result shows in detail. All others are about the provider's machines.
 */
const ABOUT_INPUT: ReadonlySet<string> = new Set(['', 'bad_request']);
const ID = /^[\w-]{1,100}$/;

/** Returns a failure if the state is unknown. */
function readJob(body: Readonly<Record<string, unknown>>): FalJob | Failure {
  const { status = 'IN_QUEUE', error_type: reason, error } = body;
  const id = idOf(body);
  if (status === 'COMPLETED') {
    const said = { message: error, code: reason, about: reason === 'bad_request' ? ('input' as const) : null };
    if (typeof reason === 'string' && !ABOUT_INPUT.has(reason)) return { state: 'failed', failure: jobFailed(said) };
    return { state: 'completed', id, failure: nonEmptyText(error) === null ? null : jobFailed(said) };
  }
  const known = typeof status === 'string' ? entryOf(WORKING, status) : undefined;
  if (known === undefined) return unknownState();
  return { state: 'working', status: known, id };
}

const POLL_MS = 500;

/** Implements `PolledWire.next`. A model's answer never has both a status and a job's URLs, so anything else is the result. */
export function nextInFalQueue(
  { bytes }: WireAnswer,
  { upstreamModel }: Pick<WireTarget, 'upstreamModel'>,
): NextRequest | null | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (!isRecord(body) || !isJob(body)) return null;
  const job = readJob(body);
  if (job instanceof Failure) return job;
  if (job.state === 'failed') return job.failure;
  if (job.id === null) return jobWithoutId();
  const path = `${appPath(upstreamModel)}/requests/${job.id}`;
  if (job.state === 'completed') return { method: 'GET', url: path, afterMs: 0, body: null };
  return { method: 'GET', url: `${path}/status`, afterMs: POLL_MS, body: null };
}

function isJob(body: Readonly<Record<string, unknown>>): boolean {
  return 'response_url' in body || 'status_url' in body || ('status' in body && 'request_id' in body);
}

/** Returns only the id from the URLs: a path that the upstream names is never requested. */
function idOf({ request_id: own, response_url: url }: Readonly<Record<string, unknown>>): string | null {
  const id = own ?? (typeof url === 'string' ? /\/requests\/([^/?#]+)/.exec(url)?.[1] : null);
  return typeof id === 'string' && ID.test(id) ? id : null;
}

// ---- jobs that outlive the request

/**
 * Cancels a job ("Cancel a request"): one in the queue is removed, one in progress gets a signal that its app may ignore.
 *
 * @param pathOf returns the path of the job without `/status`; `null` for one that is completed
 */
export function cancelInFalQueue(pathOf: (ticket: JobTicket) => string | null): JobCancel {
  return cancelBy({
    ...{ method: 'PUT', means: 'asked', endsBegun: 'billed' },
    pathOf(ticket) {
      const path = pathOf(ticket);
      return path === null ? null : `${path}/cancel`;
    },
  });
}

/** The differences between fal's wires for tasks. */
interface FalTasks<Request, Model> {
  /** Returns the endpoint for a request, possibly not the model's own id, and the model's table. */
  placeOf(upstreamModel: string, request: Request): { readonly endpoint: string; readonly model: Model };
  /** The client's field that errors about an image name. */
  readonly imageField: string;
  /** The client's names of members that errors name. */
  readonly names: Readonly<Record<string, string>>;
}

/** Makes a wire for tasks of one kind. A job's state is polled first, and then its result; the ticket says which of the two. */
export function falTasks<Request extends GenerationRequest, Model>(
  name: string,
  { kind, wire, asks, input }: HostedKind<Request, Model>,
  { placeOf, imageField, names }: FalTasks<Request, Model>,
): TaskWire<Request> {
  return {
    name,
    ...wire,
    asks: (request, { upstreamModel }) => asks(request, placeOf(upstreamModel, request).model),
    async encodeRequest(request, { upstreamModel }) {
      const { endpoint, model } = placeOf(upstreamModel, request);
      const encoded = await input(request, model);
      if (encoded instanceof Failure) return encoded;
      return jsonRequest(encoded.members, request, encoded.losses, { suffix: falPath(endpoint) });
    },
    decodeSubmission({ bytes }, request, { upstreamModel }) {
      const body = jsonObject(bytes);
      if (body instanceof Failure) return body;
      if (!isJob(body)) return bodyNoAnswer();
      const job = readJob(body);
      if (job instanceof Failure) return job;
      if (job.state === 'failed') return job.failure;
      if (job.id === null) return jobWithoutId();
      const format = wantedFormat(request);
      const app = appPath(placeOf(upstreamModel, request).endpoint);
      const ticket: JobTicket = { id: job.id, app, step: 'status', ...(format !== null && { format }) };
      const report = workingReport(job, ticket);
      return { ticket: report.ticket ?? ticket, report };
    },
    poll({ id = '', app = '', step }) {
      const path = `${app}/requests/${encodeURIComponent(id)}`;
      return { url: step === 'result' ? path : `${path}/status` };
    },
    decodePoll({ bytes }, ticket) {
      const body = jsonObject(bytes);
      if (body instanceof Failure) return body;
      return ticket.step === 'result' ? resultIn(body, kind, ticket.format ?? null) : stateIn(body, ticket);
    },
    cancel: cancelInFalQueue(({ id = '', app = '', step }) =>
      step === 'result' ? null : `${app}/requests/${encodeURIComponent(id)}`,
    ),
    // The result of an invalid job is an error response.
    decodeRefusal: (failure, { step }) => (step === 'result' && failure.side === 'client' ? failed(failure) : null),
    decodeFailure: (status, headers, bytes) =>
      falFailure(status, headers, bytes, imageField, (member) => entryOf(names, member) ?? null),
  };
}

function stateIn(body: Readonly<Record<string, unknown>>, ticket: JobTicket): JobReport | Failure {
  if (body.status === undefined) return bodyNoAnswer();
  const job = readJob(body);
  if (job instanceof Failure || job.state === 'failed') return job;
  if (job.state === 'completed' && job.failure !== null) return failed(job.failure);
  return workingReport(job, ticket);
}

function workingReport(
  job: Exclude<FalJob, { readonly state: 'failed' }>,
  ticket: JobTicket,
): Extract<JobReport, { readonly state: 'working' }> {
  if (job.state === 'working') return working(job.status);
  return { ...working('processing'), ticket: { ...ticket, step: 'result' }, afterMs: 0 };
}

function resultIn(body: Readonly<Record<string, unknown>>, kind: GeneratedKind, format: string | null): JobReport {
  const { has_nsfw_concepts: flags } = body;
  if (Array.isArray(flags) && flags.length > 0 && flags.every((flag) => flag === true)) {
    return failed(contentRefused('The provider’s safety checker refused all results of the model.'));
  }
  const items = madeItems(body, kind, format);
  return items.length === 0 ? failed(nothingMade()) : { state: 'done', result: { items } };
}
