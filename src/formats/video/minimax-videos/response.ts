import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  failed,
  jobEnded,
  jobFailed,
  jobObject,
  jobWithoutFile,
  jobWithoutId,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import { taskList } from '../../shared/tasks/task-list.ts';
import type { BatchedPolls, PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer, WireTarget } from '../../wire.ts';
import { minimaxModel } from './models.ts';
import { SECOND_API } from './request.ts';

/**
 * HTTP statuses for the `base_resp.status_code` of an answer with status 200 (platform.minimax.io, "Error codes"). Others are
 * about the provider's own machines.
 */
const STATUSES: Readonly<Record<string, number>> = {
  '1002': 429,
  '1004': 401,
  '1008': 402,
  '1039': 429,
  '1041': 429,
  '1042': 400,
  '1043': 400,
  '1044': 400,
  '2013': 400,
  '2045': 429,
  '2049': 401,
  '2056': 429,
};
const SENSITIVE: ReadonlySet<string> = new Set(['1026', '1027']);

type Told = Readonly<Record<string, unknown>>;

interface ToldError {
  readonly code: string;
  readonly words: string;
}

/** Returns `null` if the answer reports no error. */
function errorIn({ base_resp: told }: Told): ToldError | null {
  if (!isRecord(told)) return null;
  const { status_code: code, status_msg: words } = told;
  if (code === 0 || (typeof code !== 'number' && typeof code !== 'string')) return null;
  return { code: String(code).slice(0, 20), words: nonEmptyText(words) ?? '' };
}

function failureOf({ code, words }: ToldError): Failure {
  if (SENSITIVE.has(code)) return jobFailed({ message: words, about: 'content' });
  const message = words === '' ? `The provider refused with code ${code}.` : words;
  const body = new TextEncoder().encode(JSON.stringify({ error: { message } }));
  return decodeUsual(entryOf(STATUSES, code) ?? 500, new Headers(), body);
}

/** Reads an id, which is a number or its text here. */
function jobNumber(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return jobId(value);
}

export function decodeSubmission(
  { bytes }: WireAnswer,
  _request: VideoRequest,
  { upstreamModel }: WireTarget,
): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const error = errorIn(body);
  if (error !== null) return failureOf(error);
  const id = jobNumber(body.task_id);
  if (id === null) return failureInAnswer(body.error) ?? jobWithoutId();
  return taken({ id, api: minimaxModel(upstreamModel).api });
}

/** Polls the job first, and then the file that it has made. */
export function poll({ id = '', api, file }: JobTicket): PollRequest {
  if (api === '2') return { url: `${SECOND_API}/query/video_generation/${encodeURIComponent(id)}` };
  if (file !== undefined) return { url: `/files/retrieve?file_id=${encodeURIComponent(file)}` };
  return { url: `/query/video_generation?task_id=${encodeURIComponent(id)}` };
}

export function decodePoll({ bytes }: WireAnswer, ticket: JobTicket): JobReport | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  if (ticket.api === '2') return reportOf(body.task);
  const error = errorIn(body);
  if (body.status === 'Fail') {
    return failed(error === null ? jobFailed({ message: null }) : asJobFailure(error));
  }
  if (error !== null) return SENSITIVE.has(error.code) ? failed(failureOf(error)) : failureOf(error);
  return ticket.file === undefined ? stateOf(body, ticket) : fileOf(body);
}

function stateOf({ status, file_id: fileId }: Told, ticket: JobTicket): JobReport | Failure {
  if (status === 'Preparing' || status === 'Queueing') return working('pending');
  if (status === 'Processing') return working('processing');
  if (status !== 'Success') return unknownState();
  const file = jobNumber(fileId);
  if (file === null) return jobWithoutFile();
  return { state: 'working', status: 'processing', progress: 100, ticket: { ...ticket, file }, afterMs: 0 };
}

function fileOf({ file }: Told): JobReport | Failure {
  const item = isRecord(file) ? madeVideo({ url: file.download_url }) : null;
  if (item === null) return garbage('The upstream returned no URL for its file.');
  return { state: 'done', result: { items: [item] } };
}

/** Reads a job of the second API. */
function reportOf(task: unknown): JobReport | Failure {
  if (!isRecord(task)) return unknownState();
  const { status, content, error, resolution, duration, model } = task;
  switch (status) {
    case 'queued':
      return working('pending');
    case 'running':
      return working('processing');
    case 'succeeded': {
      const item = isRecord(content) ? madeVideo({ url: content.url, seconds: duration }) : null;
      if (item === null) return jobWithoutFile();
      const made = nonEmptyText(resolution)?.slice(0, 20).toLowerCase() ?? null;
      return { state: 'done', result: { items: [item], resolution: made, model: nonEmptyText(model) } };
    }
    case 'failed': {
      const { code = null, message = null } = isRecord(error) ? error : {};
      return failed(asJobFailure({ code: String(code).slice(0, 20), words: nonEmptyText(message) ?? '' }));
    }
    case 'cancelled':
      return failed(jobEnded('job_canceled'));
    case 'expired':
      return failed(jobEnded('job_expired'));
    default:
      return unknownState();
  }
}

function asJobFailure({ code, words }: ToldError): Failure {
  if (SENSITIVE.has(code)) return jobFailed({ message: words, about: 'content' });
  return jobFailed({ message: words, about: entryOf(STATUSES, code) === 400 ? 'input' : null });
}

/** Polls by "List tasks" of the second API, which accepts several ids. */
export const batch: BatchedPolls = {
  ...taskList(`${SECOND_API}/query/video_generation`, jobNumber, reportOf),
  takes: ({ api }) => api === '2',
};

/** The client's names for members of the provider's requests. */
const FIELDS: ClientsNames = [
  [/\bfirst_frame/, 'image_url'],
  [/\blast_frame/, 'end_image_url'],
  [/\b(?:subject_reference|reference_image)/, 'reference_image_urls'],
  [/\b(?:duration|resolution|prompt)\b/, null],
];

/** Decodes errors; the second API puts the code in brackets at the end of the message: `… (1026)`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const body: unknown = parseJsonBytes(bytes);
  const told = isRecord(body) ? errorIn(body) : null;
  const failure = told === null ? decodeUsual(status, headers, bytes) : failureOf(told);
  const code = told?.code ?? /\((\d{4})\)\s*$/.exec(failure.message)?.[1] ?? '';
  if (SENSITIVE.has(code)) return contentRefused(failure.message);
  return failure.details.param === undefined ? aboutField(failure, failure.message, FIELDS) : failure;
}
