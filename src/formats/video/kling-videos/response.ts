import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  failed,
  found,
  jobFailed,
  jobObject,
  jobWithoutFile,
  jobWithoutId,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import type { JobContext, PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';
import { KLING_PATHS, pathOf } from './request.ts';

type Members = Readonly<Record<string, unknown>>;

const MOST_VIDEOS = 10;

/** Decodes `{code, message, request_id, data: {task_id, task_status}}`. A job with an id was accepted, whatever its state. */
export function decodeSubmission(answer: WireAnswer, request: VideoRequest): Submission | Failure {
  const job = jobIn(answer, pathOf(request));
  return job instanceof Failure ? job : taken(job.ticket, job.report);
}

/** Looks a job up by the gateway's name like by Kling's own id, at the endpoint that accepted it. */
export function find({ reference, address }: JobContext): PollRequest {
  return poll({ id: reference, path: address ?? '' });
}

export function decodeFound(answer: WireAnswer, { address }: JobContext): Submission | Failure {
  return jobIn(answer, address ?? 'text2video');
}

function jobIn({ bytes, headers }: WireAnswer, path: string): Submission | Failure {
  const data = dataOf(bytes, headers);
  if (data instanceof Failure) return data;
  const id = jobId(data.task_id);
  return id === null ? jobWithoutId() : found({ id, path }, reportOf(data));
}

export function poll({ id = '', path = '' }: JobTicket): PollRequest {
  const known = KLING_PATHS.find((one) => one === path) ?? 'text2video';
  return { url: `/videos/${known}/${encodeURIComponent(id)}` };
}

export function decodePoll({ bytes, headers }: WireAnswer): JobReport | Failure {
  const data = dataOf(bytes, headers);
  return data instanceof Failure ? data : reportOf(data);
}

function reportOf(data: Members): JobReport | Failure {
  switch (data.task_status) {
    case 'submitted':
      return working('pending');
    case 'processing':
      return working('processing');
    case 'failed':
      return failed(failureOfJob(data.task_status_msg));
    case 'succeed':
      return resultOf(data);
    default:
      return unknownState();
  }
}

function resultOf({ task_result: result, watermark_info: watermark }: Members): JobReport | Failure {
  const videos: unknown = isRecord(result) ? result.videos : null;
  if (!Array.isArray(videos)) return jobWithoutFile();
  // Both versions are made if the client asks for a watermark.
  const isMarked = isRecord(watermark) && watermark.enabled === true;
  const items = videos.slice(0, MOST_VIDEOS).flatMap((video: unknown) => {
    if (!isRecord(video)) return [];
    const { url, watermark_url: marked, duration: seconds } = video;
    return (isMarked ? madeVideo({ url: marked, seconds }) : null) ?? madeVideo({ url, seconds }) ?? [];
  });
  if (items.length === 0) return jobWithoutFile();
  return { state: 'done', result: { items } };
}

/** Messages of Kling's filters: "Failure to pass the risk control system". */
const FLAGGED =
  /\brisk control\b|\bsensitive\b|\bcontent (?:security|safety|policy|moderation)\b|\bmoderat|\binappropriate\b|\bviolat/i;

function failureOfJob(said: unknown): Failure {
  return jobFailed({ message: said, about: FLAGGED.test(textOrEmpty(said).slice(0, 2_000)) ? 'content' : null });
}

/** Returns the envelope's contents, or a failure if the envelope reports one, which is possible with any HTTP status. */
function dataOf(bytes: Uint8Array, headers: AnswerHeaders): Members | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const { code, data } = body;
  const isFine = code === undefined || code === null || code === 0 || code === '0';
  if (!isFine) return failureOf(code, body, headers, bytes) ?? unknownCode(body);
  return isRecord(data) ? data : bodyNoAnswer();
}

function unknownCode({ message }: Members): Failure {
  const words = cleanMessage(textOrEmpty(message));
  return new Failure('upstream_error', {
    kind: 'error_in_answer',
    message: words === '' ? 'The provider failed without giving a reason.' : `The provider failed: ${words}`,
  });
}

/** The statuses that Kling documents for its codes, which it also sends with a 200. */
const STATUS_OF: Readonly<Record<number, number>> = {
  1200: 400,
  1201: 400,
  1302: 429,
  1303: 429,
  5000: 500,
  5001: 503,
  5002: 504,
};
/** A failed authentication, or an address that is not on the account's allow-list. */
const NO_AUTH: ReadonlySet<unknown> = new Set([1000, 1001, 1002, 1304]);
/** A token that is not valid yet or has expired, because clocks differ. */
const EXPIRED: ReadonlySet<unknown> = new Set([1003, 1004]);
/** Sent with a 429, although waiting does not help. */
const NO_MONEY: ReadonlySet<unknown> = new Set([1100, 1101, 1102]);
const NO_MODEL: ReadonlySet<unknown> = new Set([1103, 1202, 1203]);
const REFUSED: ReadonlySet<unknown> = new Set([1300, 1301]);

/** Returns `null` for an undocumented code. */
function failureOf(code: unknown, { message }: Members, headers: AnswerHeaders, bytes: Uint8Array): Failure | null {
  const said = cleanMessage(textOrEmpty(message));
  if (REFUSED.has(code)) return contentRefused(said);
  if (NO_AUTH.has(code)) return ofChannel('upstream_auth', 'refused the credentials of the channel', said);
  if (EXPIRED.has(code))
    return ofChannel('upstream_auth_expired', 'refused the token of the channel: the clocks differ', said);
  if (NO_MONEY.has(code))
    return ofChannel('upstream_quota', 'refused: the account of the channel has no credit left', said);
  if (NO_MODEL.has(code))
    return ofChannel('http_404', 'does not have the model, or does not allow the channel to use it', said);
  const status = typeof code === 'number' && Object.hasOwn(STATUS_OF, code) ? STATUS_OF[code] : undefined;
  return status === undefined ? null : decodeUsual(status, headers, bytes);
}

function ofChannel(kind: string, what: string, said: string): Failure {
  const message = `The provider ${what}${said === '' ? '.' : `: ${said}`}`;
  return new Failure('upstream_error', { kind, message, retry: 'other-target' });
}

/** The client's names for Kling's members. */
const FIELDS: ClientsNames = [
  [/\bimage_tail\b/, 'end_image_url'],
  [/\bimage_list\b/, 'reference_image_urls'],
  [/\bimage\b/, 'image_url'],
  [/\bmodel_name\b/, 'model'],
  [/\bsound\b/, 'audio'],
  [/\b(?:negative_prompt|aspect_ratio|duration|prompt)\b/, null],
];

export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const body: unknown = parseJsonBytes(bytes.subarray(0, 262_144));
  const failure =
    (isRecord(body) ? failureOf(body.code, body, headers, bytes) : null) ?? decodeUsual(status, headers, bytes);
  if (failure.details.param !== undefined) return failure;
  return aboutField(failure, isRecord(body) ? textOrEmpty(body.message).slice(0, 500) : '', FIELDS);
}
