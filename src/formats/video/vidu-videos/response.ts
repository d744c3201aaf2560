import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
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
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';

type Members = Readonly<Record<string, unknown>>;

const MOST_VIDEOS = 10;

/** Decodes `{task_id, state, …}`. A job with an id was accepted, whatever its state. */
export function decodeSubmission({ bytes }: WireAnswer, { options }: VideoRequest): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.task_id);
  if (id === null) return jobWithoutId();
  if (body.state === 'failed') return failureOfJob(body);
  const ticket: JobTicket = options.watermark === true ? { id, marked: 'yes' } : { id };
  return taken(ticket, working(body.state === 'processing' ? 'processing' : 'pending'));
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/tasks/${encodeURIComponent(id)}/creations` };
}

export function decodePoll({ bytes }: WireAnswer, { marked }: JobTicket): JobReport | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  switch (body.state) {
    case 'created':
    case 'queueing':
      return working('pending');
    case 'processing':
      return working('processing');
    case 'failed':
      return failed(failureOfJob(body));
    case 'success':
      return resultOf(body.creations, marked === 'yes');
    default:
      return unknownState();
  }
}

/** Returns the result. If the client wanted a watermark, there is a second video with it. */
function resultOf(creations: unknown, isMarked: boolean): JobReport | Failure {
  const list: readonly unknown[] = Array.isArray(creations) ? creations.slice(0, MOST_VIDEOS) : [];
  const items = list.flatMap((creation) => {
    if (!isRecord(creation)) return [];
    const { url, watermarked_url: marked, cover_url: cover } = creation;
    return (isMarked ? madeVideo({ url: marked, cover }) : null) ?? madeVideo({ url, cover }) ?? [];
  });
  if (items.length === 0) return jobWithoutFile();
  return { state: 'done', result: { items } };
}

/** The client's messages for Vidu's error codes (platform.vidu.com, "Error Code"). */
const REFUSALS: Readonly<Record<string, string>> = {
  TaskPromptPolicyViolation: 'The provider’s content filter refused the prompt.',
  AuditSubmitIllegal: 'The provider’s content filter refused the prompt or an image.',
  CreationPolicyViolation: 'The provider’s content filter refused the video.',
};
const MISTAKES: Readonly<Record<string, string>> = {
  BadRequest: 'The provider refused the request as invalid.',
  FieldLacking: 'The provider requires a field that is missing.',
  FieldUnwanted: 'The provider does not accept a field of the request.',
  FieldInvalid: 'The provider refused the value of a field.',
  FieldItemCountOutOfRange: 'A field has more or fewer items than the provider accepts.',
  PageSizeOutOfRange: 'An image is too large or too long for the provider, or has the wrong format.',
  ImageFormatInvalid: 'An image has a format that the provider does not accept.',
  ImageDownloadFailure: 'The provider could not fetch an image of the request.',
  ImageCheckBodyJointsFailed: 'The provider found no person in the image.',
  ImageCheckFaceFailed: 'The provider found no face in the image.',
  ImageObjectsUndetected: 'The person in the image is too obscured for the provider.',
};
const CANCELED: ReadonlySet<string> = new Set(['UserCancelled', 'Canceled']);

function failureOfJob({ err_code: told, err_msg: said, message }: Members): Failure {
  const code = textOrEmpty(told);
  return failureOfCode(code, '') ?? jobFailed({ message: nonEmptyText(said) ?? nonEmptyText(message) ?? code, code });
}

/** Returns `null` for a code that has no specific meaning. */
function failureOfCode(code: string, words: string): Failure | null {
  const refusal = entryOf(REFUSALS, code);
  if (refusal !== undefined) return contentRefused(refusal);
  const mistake = entryOf(MISTAKES, code);
  if (mistake !== undefined) {
    const message = words === '' ? mistake : `${mistake} It said: ${words}`;
    return new Failure('invalid_request', { kind: 'job_failed', message });
  }
  if (CANCELED.has(code)) return jobEnded('job_canceled');
  if (code === 'CreditInsufficient') {
    return ofChannel('upstream_quota', 'The channel’s account at the provider has no credits left.');
  }
  if (code !== 'ModelUnavailable') return null;
  return ofChannel('http_404', 'The provider does not have the model that the channel names.');
}

function ofChannel(kind: string, message: string): Failure {
  return new Failure('upstream_error', { kind, message, retry: 'other-target' });
}

/** The client's names for Vidu's members. */
const FIELDS: ClientsNames = [
  [/\bimages?\b/, 'image_url'],
  [/\b(?:duration|resolution|aspect_ratio|seed|prompt|model|audio)\b/, null],
];

/** Decodes `{code, reason: "FieldInvalid", message, metadata}`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const usual = decodeUsual(status, headers, bytes);
  if (status === 401 || status === 429 || status >= 500) return usual;
  const body: unknown = parseJsonBytes(bytes.subarray(0, 262_144));
  if (!isRecord(body)) return usual;
  const code = [body.reason, body.err_code, body.code].find((value) => typeof value === 'string');
  const said = cleanMessage(textOrEmpty(body.message));
  const failure = typeof code === 'string' ? failureOfCode(code, said) : null;
  if (failure === null) return usual;
  return failure.details.param === undefined ? aboutField(failure, said, FIELDS) : failure;
}
