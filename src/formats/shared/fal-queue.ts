import { Failure } from '../../domain/failure/failure.ts';
import type { NextRequest, WireAnswer, WireTarget } from '../wire.ts';
import { garbage } from './answer-failure.ts';
import { cleanMessage } from './clean-message.ts';
import { parseJsonBytes } from './json-text.ts';
import { textOrEmpty } from './json-values.ts';
import { entryOf, isRecord } from './record.ts';

/*
 * fal's queue (fal.ai/docs, "Asynchronous inference"): `POST /{model}` takes the job, `GET /{app}/requests/{id}/status` is
 * asked until it is COMPLETED, `GET /{app}/requests/{id}` is the result, or the job's error with a status of its own.
 */

/** The first segments of ids that name a kind of app before its owner. */
const NAMESPACES: ReadonlySet<string> = new Set(['workflows', 'comfy']);

/** The path at which a model takes jobs. */
export function falPath(model: string): string {
  return `/${model.split('/').map(encodeURIComponent).join('/')}`;
}

/** The addresses of a job name the app alone, and not the path within it: `fal-ai/flux/dev` is `/fal-ai/flux`. */
function appPath(model: string): string {
  const segments = model.split('/');
  return falPath(segments.slice(0, NAMESPACES.has(segments[0] ?? '') ? 3 : 2).join('/'));
}

/** How long to wait after an answer with this status, in milliseconds. */
const WAITS: Readonly<Record<string, number>> = { IN_QUEUE: 500, IN_PROGRESS: 500, COMPLETED: 0 };
/** Kinds of errors that may be the client's, which the result tells in detail. All others are of the provider's machines. */
const ABOUT_INPUT: ReadonlySet<string> = new Set(['', 'bad_request']);
const ID = /^[\w-]{1,100}$/;

/** As `PolledWire.next`. What a model answers has no status together with a job's addresses, so it is the result. */
export function nextInFalQueue(
  { bytes }: WireAnswer,
  { upstreamModel }: Pick<WireTarget, 'upstreamModel'>,
): NextRequest | null | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (!isRecord(body) || !isJob(body)) return null;
  const { status = 'IN_QUEUE', error_type: reason } = body;
  if (status === 'COMPLETED' && typeof reason === 'string' && !ABOUT_INPUT.has(reason)) return failed(body.error);
  const afterMs = typeof status === 'string' ? entryOf(WAITS, status) : undefined;
  if (afterMs === undefined) return garbage('The upstream reported a state of the job that is not known.');
  const id = idOf(body);
  if (id === null) return garbage('The upstream did not say the id of the job.');
  const path = `${appPath(upstreamModel)}/requests/${id}`;
  return { method: 'GET', url: status === 'COMPLETED' ? path : `${path}/status`, afterMs, body: null };
}

function failed(said: unknown): Failure {
  const words = cleanMessage(textOrEmpty(said));
  const message = `The job failed at the provider${words === '' ? '' : `: ${words}`}`;
  return new Failure('upstream_error', { kind: 'job_failed', message });
}

function isJob(body: Readonly<Record<string, unknown>>): boolean {
  return 'response_url' in body || 'status_url' in body || ('status' in body && 'request_id' in body);
}

/** Of the addresses only the id is used: a path that the upstream names is never asked. */
function idOf({ request_id: own, response_url: url }: Readonly<Record<string, unknown>>): string | null {
  const id = own ?? (typeof url === 'string' ? /\/requests\/([^/?#]+)/.exec(url)?.[1] : null);
  return typeof id === 'string' && ID.test(id) ? id : null;
}
