import { Failure } from '../../../domain/failure/failure.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  failed,
  jobEnded,
  jobFailed,
  jobObject,
  jobWithoutFile,
  jobWithoutId,
  percentOf,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';

type Body = Readonly<Record<string, unknown>>;

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.request_id);
  return id === null ? (failureInAnswer(body.error) ?? jobWithoutId()) : taken({ id });
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/videos/${encodeURIComponent(id)}` };
}

const STATES: Readonly<Record<string, 'pending' | 'processing' | 'done' | 'failed' | 'expired'>> = {
  queued: 'pending',
  pending: 'processing',
  processing: 'processing',
  in_progress: 'processing',
  done: 'done',
  completed: 'done',
  failed: 'failed',
  error: 'failed',
  cancelled: 'failed',
  canceled: 'failed',
  expired: 'expired',
};

/**
 * Decodes the state. An unfinished job has `pending`, with a 202; in earlier answers it has only its id or nothing at all, and a
 * finished job has no `status`.
 */
export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  if (bytes.length === 0) return working('processing');
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const status = body.status ?? null;
  if (status === null && isRecord(body.video)) return doneOf(body);
  if (status === null && typeof body.request_id === 'string' && (body.error ?? null) === null) {
    return working('processing', percentOf(body.progress));
  }
  const state = typeof status === 'string' ? entryOf(STATES, status.toLowerCase()) : undefined;
  switch (state) {
    case 'pending':
    case 'processing':
      return working(state, percentOf(body.progress));
    case 'done':
      return doneOf(body);
    case 'failed':
      return failed(failureOf(body));
    case 'expired':
      return failed(jobEnded('job_expired'));
    default:
      return failureInAnswer(body.error) ?? unknownState();
  }
}

/** Codes of errors about the client's input. */
const ABOUT_INPUT: ReadonlySet<unknown> = new Set(['invalid_argument', 'failed_precondition', 'out_of_range']);

function failureOf({ error, video }: Body): Failure {
  if (isRecord(video) && video.respect_moderation === false) return refusedByModeration();
  if (!isRecord(error)) return jobFailed({ message: error });
  const { message, code } = error;
  return jobFailed({ message, code, about: ABOUT_INPUT.has(code) ? 'input' : null });
}

function refusedByModeration(): Failure {
  return contentRefused('The provider’s moderation removed the video.');
}

/** Returns the result. A finished job without a video will not get one, so it has failed, unless moderation explains it. */
function doneOf({ video, model }: Body): JobReport {
  if (isRecord(video) && video.respect_moderation === false) return failed(refusedByModeration());
  const item = isRecord(video) ? madeVideo({ url: video.url, seconds: video.duration }) : null;
  return item === null
    ? failed(jobWithoutFile())
    : { state: 'done', result: { items: [item], model: nonEmptyText(model) } };
}
