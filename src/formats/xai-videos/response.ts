import { Failure } from '../../domain/failure/failure.ts';
import type { JobReport, JobTicket, Submission } from '../../domain/tasks/job.ts';
import { garbage } from '../shared/answer-failure.ts';
import { failureInAnswer } from '../shared/error-in-answer.ts';
import { contentRefused, isWebAddress } from '../shared/image-answer.ts';
import { jobExpired, jobFailed, jobObject, percentOf, secondsOf } from '../shared/job-answer.ts';
import { nonEmptyText } from '../shared/json-values.ts';
import { entryOf, isRecord } from '../shared/record.ts';
import type { PollRequest, WireAnswer } from '../wire.ts';

type Body = Readonly<Record<string, unknown>>;

const ID = /^(?=.*\w)[\w.:=+~-]{1,300}$/;

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const { request_id: id } = body;
  if (typeof id === 'string' && ID.test(id)) {
    return { ticket: { id }, report: { state: 'working', status: 'pending', progress: null } };
  }
  return failureInAnswer(body.error) ?? garbage('The upstream did not say the id of the job.');
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
 * A job that is not done has `pending`, with a status of 202; earlier answers have its id alone or nothing at all then, and those
 * of a finished job no `status`.
 */
export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  if (bytes.length === 0) return working('processing', null);
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const status = body.status ?? null;
  if (status === null && isRecord(body.video)) return doneOf(body);
  if (status === null && typeof body.request_id === 'string' && (body.error ?? null) === null) {
    return working('processing', body.progress);
  }
  const state = typeof status === 'string' ? entryOf(STATES, status.toLowerCase()) : undefined;
  switch (state) {
    case 'pending':
    case 'processing':
      return working(state, body.progress);
    case 'done':
      return doneOf(body);
    case 'failed':
      return { state: 'failed', failure: failureOf(body) };
    case 'expired':
      return { state: 'failed', failure: jobExpired() };
    default:
      return failureInAnswer(body.error) ?? garbage('The upstream reported a state of the job that is not known.');
  }
}

function working(status: 'pending' | 'processing', progress: unknown): JobReport {
  return { state: 'working', status, progress: percentOf(progress) };
}

/** Codes of an error that is about what the client has sent. */
const ABOUT_INPUT: ReadonlySet<unknown> = new Set(['invalid_argument', 'failed_precondition', 'out_of_range']);

function failureOf({ error, video }: Body): Failure {
  if (isRecord(video) && video.respect_moderation === false) return refusedByModeration();
  if (!isRecord(error)) return jobFailed({ message: error });
  const { message, code } = error;
  return jobFailed({ message, code, isAboutInput: ABOUT_INPUT.has(code) });
}

function refusedByModeration(): Failure {
  return contentRefused('The provider’s moderation has taken out the video that was made.');
}

/** A finished job without a video will not get one: it is a failed one, unless moderation says why. */
function doneOf({ video, model }: Body): JobReport {
  if (!isRecord(video)) return withoutVideo();
  if (video.respect_moderation === false) return { state: 'failed', failure: refusedByModeration() };
  const { url, duration } = video;
  if (typeof url !== 'string' || !isWebAddress(url)) return withoutVideo();
  const durationSeconds = secondsOf(duration);
  return {
    state: 'done',
    result: {
      items: [{ source: { kind: 'url', url }, mediaType: 'video/mp4', durationSeconds }],
      model: nonEmptyText(model),
    },
  };
}

function withoutVideo(): JobReport {
  return { state: 'failed', failure: garbage('The upstream finished the job without a video.') };
}
