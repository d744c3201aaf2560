import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
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
  secondsOf,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';

/**
 * Leads from the base address of the compatible API (`/compatible-mode/v1`) to that of the native API on the same host; also from a base
 * address that already is the native API's, or from a bare origin.
 */
export const OWN_API = '/../../api/v1';

const LONGEST_PROMPT = 20_000;

type Told = Readonly<Record<string, unknown>>;

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const output: Told = isRecord(body.output) ? body.output : {};
  const id = jobId(output.task_id);
  if (id !== null) return taken({ id });
  return aboutOf(body.code) === 'content'
    ? jobFailed({ message: body.message, about: 'content' })
    : (failureInAnswer({ code: body.code, message: body.message }) ?? jobWithoutId());
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `${OWN_API}/tasks/${encodeURIComponent(id)}` };
}

export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const output: Told = isRecord(body.output) ? body.output : {};
  switch (output.task_status) {
    case 'PENDING':
    case 'SUSPENDED':
      return working('pending');
    case 'RUNNING':
      return working('processing');
    case 'SUCCEEDED':
      return doneWith(output, isRecord(body.usage) ? body.usage : {});
    case 'FAILED':
      return failed(jobFailed({ message: output.message, about: aboutOf(output.code) }));
    case 'CANCELED':
    case 'CANCELLED':
      return failed(jobEnded('job_canceled'));
    // A task is kept for one day.
    case 'UNKNOWN':
      return failed(jobEnded('job_lost'));
    default:
      return unknownState();
  }
}

/**
 * Returns the result. The length of a video made from another one is not the billed length, which includes the other's seconds.
 */
function doneWith(output: Told, usage: Told): JobReport | Failure {
  const seconds =
    secondsOf(usage.output_video_duration) ?? secondsOf(usage.video_duration) ?? secondsOf(usage.duration);
  const item = madeVideo({ url: output.video_url, seconds: seconds });
  if (item === null) return jobWithoutFile();
  const used = nonEmptyText(output.actual_prompt)?.slice(0, LONGEST_PROMPT);
  const isOther = used !== undefined && used !== output.orig_prompt;
  return {
    state: 'done',
    result: { items: [isOther ? { ...item, revisedPrompt: used } : item], resolution: resolutionOf(usage) },
  };
}

/** Reads `SR`, the number of lines (1080), or its text. */
function resolutionOf({ SR: lines }: Told): string | null {
  const number = typeof lines === 'string' ? Number(/^(\d{3,4})P?$/i.exec(lines)?.[1]) : lines;
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 10_000 ? `${number}p` : null;
}

/** From Model Studio, "Error codes". */
const SENSITIVE = /^(?:DataInspectionFailed|data_inspection_failed|IPInfringementSuspect|FaqRuleBlocked)/;

function aboutOf(code: unknown): 'content' | 'input' | null {
  if (typeof code !== 'string') return null;
  const name = code.slice(0, 200);
  if (SENSITIVE.test(name)) return 'content';
  return /^(?:Invalid(?:Parameter|File|URL|Image|Video|DataType)|BadRequest|MissingParameter)/.test(name)
    ? 'input'
    : null;
}

/** The client's names for members of the provider's requests. */
const FIELDS: ClientsNames = [
  [/\bimg_url\b|\bfirst_frame/, 'image_url'],
  [/\blast_frame/, 'end_image_url'],
  [/\breference_image/, 'reference_image_urls'],
  [/\breference_video|\bfirst_clip/, 'video_url'],
  [/\bratio\b/, 'aspect_ratio'],
  [/\b(?:negative_prompt|resolution|duration|size|seed|prompt)\b/, null],
];

/** Decodes `{"code": "InvalidParameter", "message", "request_id"}`: only the message names the field. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  const body: unknown = parseJsonBytes(bytes);
  const about = aboutOf(isRecord(body) ? body.code : null);
  if (about === 'content') return contentRefused(failure.message);
  return failure.details.param === undefined ? aboutField(failure, failure.message, FIELDS) : failure;
}
