import type { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import { extensionOf, mediaTypeOf } from '../../shared/tasks/file-types.ts';
import { jobFailed, jobWithoutFile, jobWords, made, percentOf } from '../../shared/tasks/job-answer.ts';
import { fileAt } from '../../shared/tasks/job-file.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';

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
  const { code, message } = objectOf(parseJsonBytes(bytes));
  if (code === CONTENT_CODE) return contentRefused(jobWords(message));
  return decodeUsual(STATUSES.get(code) ?? status, headers, bytes);
}

/** Returns the members of the wire that read jobs, which are polled below this path. */
export function tripoJobs(jobPath: string) {
  return jobs<ThreeDRequest>({
    /** The answer is `{code, data}`; another code than 0 is a refusal. */
    jobIn({ code, data }, { headers, bytes }) {
      if (code !== 0 && code !== undefined) return decodeFailure(500, headers, bytes);
      return isRecord(data) ? data : bodyNoAnswer();
    },
    id: 'task_id',
    ticketOf: ({ options }) => ({ format: options.quad === true ? 'fbx' : 'glb' }),
    pathOf: (id) => `${jobPath}/${id}`,
    status: 'status',
    states: {
      queued: 'pending',
      // Also reported for a job that has just been accepted.
      unknown: 'pending',
      running: 'processing',
      success: 'done',
      failed: 'failed',
      banned: 'failed',
      cancelled: 'canceled',
      expired: 'expired',
    },
    progressOf: ({ progress }) => percentOf(progress),
    resultOf: ({ output }, ticket) => resultOf(output, ticket),
    failureOf({ status, error_code: code, error_message: words, error_msg: otherWords }) {
      const message = jobWords(words) || jobWords(otherWords);
      return status === 'banned' || code === CONTENT_CODE ? contentRefused(message) : jobFailed({ message });
    },
  });
}

/** The best available file: with materials, with a texture, without one; API v3 has only one. */
const FILES = ['model_url', 'pbr_model', 'model', 'base_model', 'model_urls'] as const;
const PICTURES = ['rendered_image_url', 'rendered_image'] as const;

function resultOf(output: unknown, { format: expected }: JobTicket): JobReport | Failure {
  if (!isRecord(output)) return bodyNoAnswer();
  const source = firstFile(output, FILES);
  if (source === null) return jobWithoutFile();
  const ending = extensionOf(source.url);
  const format = (ending === 'glb' || ending === 'fbx' ? ending : expected) === 'fbx' ? 'fbx' : 'glb';
  return made([{ source, mediaType: mediaTypeOf(format), format, cover: firstFile(output, PICTURES) }]);
}

function firstFile(output: Json, names: readonly string[]) {
  for (const name of names) {
    const value = output[name];
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const file = fileAt(isRecord(first) ? first.url : first);
    // The URLs are valid for five minutes.
    if (file !== null) return { ...file, isShortLived: true } as const;
  }
  return null;
}
