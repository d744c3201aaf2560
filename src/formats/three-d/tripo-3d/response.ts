import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { FileSource, JobReport, JobTicket, MadeItem, Submission } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import { extensionOf, mediaTypeOf } from '../../shared/tasks/file-types.ts';
import {
  failed,
  jobEnded,
  jobFailed,
  jobObject,
  jobWithoutFile,
  jobWithoutId,
  jobWords,
  percentOf,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { fileAt, jobId } from '../../shared/tasks/job-file.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';
import type { Dialect } from './encode-source.ts';

type Json = Readonly<Record<string, unknown>>;

/** The code that both versions of the API return if they refuse content before any work. */
const CONTENT_CODE = 2_008;
/**
 * The HTTP status for a code, for answers that have none of their own, and for codes that are more specific than their status: an
 * empty account is refused with a 403.
 */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ...[2, 1_000, 1_001, 1_002].map((code) => [code, 401] as const),
  ...[1_007, 2_000].map((code) => [code, 429] as const),
  ...[1_003, 1_004, 2_002, 2_003, 2_004, 2_018].map((code) => [code, 400] as const),
  [2_010, 402],
]);

/** Implements `Wire.decodeFailure`: `{code, message, suggestion}`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const body: unknown = parseJsonBytes(bytes);
  const code = isRecord(body) ? body.code : null;
  if (code === CONTENT_CODE && isRecord(body)) return contentRefused(jobWords(body.message));
  return decodeUsual(STATUSES.get(code) ?? status, headers, bytes);
}

/** Returns the member `data` of an answer, or a refusal if its code is not 0. */
function dataOf({ bytes, headers }: WireAnswer): Json | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  if (body.code !== 0 && body.code !== undefined) return decodeFailure(500, headers, bytes);
  return isRecord(body.data) ? body.data : bodyNoAnswer();
}

/** Implements `TaskWire.decodeSubmission`. */
export function decodeSubmission(answer: WireAnswer, { options }: ThreeDRequest): Submission | Failure {
  const data = dataOf(answer);
  if (data instanceof Failure) return data;
  const id = jobId(data.task_id);
  if (id === null) return jobWithoutId();
  const format = options.quad === true ? 'fbx' : 'glb';
  return taken({ id, format });
}

export function pollOf({ jobPath }: Dialect): (ticket: JobTicket) => PollRequest {
  return ({ id = '' }) => ({ url: `${jobPath}/${encodeURIComponent(id)}` });
}

/** Implements `TaskWire.decodePoll`. */
export function decodePoll(answer: WireAnswer, ticket: JobTicket): JobReport | Failure {
  const data = dataOf(answer);
  if (data instanceof Failure) return data;
  const message = jobWords(data.error_message) || jobWords(data.error_msg);
  switch (data.status) {
    case 'queued':
    // The API also reports this for a job that it has just accepted.
    case 'unknown':
      return working('pending', percentOf(data.progress));
    case 'running':
      return working('processing', percentOf(data.progress));
    case 'success':
      return made(data.output, ticket);
    case 'failed':
      return failed(data.error_code === CONTENT_CODE ? contentRefused(message) : jobFailed({ message }));
    case 'banned':
      return failed(contentRefused(message));
    case 'cancelled':
      return failed(jobEnded('job_canceled'));
    case 'expired':
      return failed(jobEnded('job_expired'));
    default:
      return unknownState();
  }
}

/** The best available file: with materials, with a texture, without one; API v3 has only one. */
const FILES = ['model_url', 'pbr_model', 'model', 'base_model', 'model_urls'] as const;
const PICTURES = ['rendered_image_url', 'rendered_image'] as const;

function made(output: unknown, { format: expected }: JobTicket): JobReport | Failure {
  if (!isRecord(output)) return bodyNoAnswer();
  const source = firstFile(output, FILES);
  if (source === null) return jobWithoutFile();
  const ending = extensionOf(source.url);
  const format = (ending === 'glb' || ending === 'fbx' ? ending : expected) === 'fbx' ? 'fbx' : 'glb';
  const cover = firstFile(output, PICTURES);
  const item: MadeItem = { source, mediaType: mediaTypeOf(format), format, cover };
  return { state: 'done', result: { items: [item] } };
}

function firstFile(output: Json, names: readonly string[]): Extract<FileSource, { readonly kind: 'url' }> | null {
  for (const name of names) {
    const value = output[name];
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const file = fileAt(isRecord(first) ? first.url : first);
    // The URLs are valid for five minutes.
    if (file !== null) return { ...file, isShortLived: true };
  }
  return null;
}
