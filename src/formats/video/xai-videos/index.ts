import type { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport } from '../../../domain/tasks/job.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  type Causes,
  causeOf,
  failed,
  jobFailed,
  jobWithoutFile,
  percentOf,
  working,
} from '../../shared/tasks/job-answer.ts';
import { madeVideo } from '../../shared/tasks/job-file.ts';
import { errorMember, jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';

type Json = Readonly<Record<string, unknown>>;

/** Codes of errors about the client's input. */
const CAUSES: Causes = [[/^(?:invalid_argument|failed_precondition|out_of_range)$/, 'input']];

const { decodePoll, ...others } = jobs({
  id: 'request_id',
  refusalIn: errorMember,
  pathOf: (id) => `/videos/${id}`,
  status: 'status',
  isAnyCase: true,
  states: {
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
  },
  /** In earlier answers a finished job has no `status`, and an unfinished one only its id. */
  otherwise(job) {
    const isSilent = (job.status ?? null) === null;
    if (isSilent && isRecord(job.video)) return doneOf(job);
    if (isSilent && typeof job.request_id === 'string' && (job.error ?? null) === null) {
      return working('processing', percentOf(job.progress));
    }
    return errorMember(job);
  },
  progressOf: ({ progress }) => percentOf(progress),
  resultOf: doneOf,
  failureOf({ error, video }) {
    if (isModerated(video)) return refusedByModeration();
    if (!isRecord(error)) return jobFailed({ message: error });
    const { message, code } = error;
    return jobFailed({ message, code, about: causeOf(code, CAUSES) });
  },
});

function isModerated(video: unknown): boolean {
  return objectOf(video).respect_moderation === false;
}

function refusedByModeration(): Failure {
  return contentRefused('The provider’s moderation removed the video.');
}

/** Returns the result. A finished job without a video will not get one, so it has failed, unless moderation explains it. */
function doneOf({ video, model }: Json): JobReport {
  if (isModerated(video)) return failed(refusedByModeration());
  const { url, duration } = objectOf(video);
  const item = madeVideo({ url, seconds: duration });
  return item === null
    ? failed(jobWithoutFile())
    : { state: 'done', result: { items: [item], model: nonEmptyText(model) } };
}

/**
 * xAI's `/videos/generations` and `/videos/edits` (docs.x.ai, "Video Generation", "Image-to-Video", "Reference-to-Video", "Video
 * Editing"), polled at `/videos/{request_id}`.
 */
export const xaiVideos: TaskWire<VideoRequest> = {
  name: 'xai-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  asks,
  encodeRequest,
  ...others,
  /** An unfinished job has `pending`, with a 202, or in earlier answers nothing at all. */
  decodePoll: (answer, ticket, target) =>
    answer.bytes.length === 0 ? working('processing') : decodePoll(answer, ticket, target),
  decodeFailure,
};
