import { Failure } from '../../../domain/failure/failure.ts';
import { pairOf } from '../../../domain/images/image-size.ts';
import type { FileSource, JobReport, JobResult, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { isWebAddress } from '../../shared/media/image-answer.ts';
import {
  failed,
  jobEnded,
  jobFailed,
  jobObject,
  jobWithoutId,
  percentOf,
  secondsOf,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId } from '../../shared/tasks/job-file.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer, WireTarget } from '../../wire.ts';
import { resolutionOf } from './video-shape.ts';

/* The jobs of OpenAI's `/videos`, and of servers that have copied it. */

type Body = Readonly<Record<string, unknown>>;

/** Returns whether a model's videos have a thumbnail at a URL next to the video's. */
export type HasThumbnail = (upstreamModel: string) => boolean;

/** OpenAI's own states, and those of servers that have copied its API. */
const STATES: Readonly<Record<string, 'pending' | 'processing' | 'done' | 'failed' | 'expired'>> = {
  queued: 'pending',
  pending: 'pending',
  submitted: 'pending',
  in_progress: 'processing',
  processing: 'processing',
  running: 'processing',
  completed: 'done',
  succeeded: 'done',
  failed: 'failed',
  error: 'failed',
  cancelled: 'failed',
  canceled: 'failed',
  expired: 'expired',
};

export function decodeSubmission(
  { bytes }: WireAnswer,
  target: WireTarget,
  hasThumbnail: HasThumbnail = () => false,
): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.id);
  if (id === null) return failureInAnswer(body.error) ?? jobWithoutId();
  return taken({ id }, reportOf(body, id, hasThumbnail(target.upstreamModel)));
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/videos/${encodeURIComponent(id)}` };
}

export function decodePoll(
  { bytes }: WireAnswer,
  { id = '' }: JobTicket,
  target: WireTarget,
  hasThumbnail: HasThumbnail = () => false,
): JobReport | Failure {
  const body = jobObject(bytes);
  return body instanceof Failure ? body : reportOf(body, id, hasThumbnail(target.upstreamModel));
}

function reportOf(body: Body, id: string, hasThumbnail: boolean): JobReport | Failure {
  const { status } = body;
  const state = typeof status === 'string' ? entryOf(STATES, status.toLowerCase()) : undefined;
  switch (state) {
    case 'pending':
    case 'processing':
      return working(state, percentOf(body.progress));
    case 'done':
      return { state: 'done', result: resultOf(body, id, hasThumbnail) };
    case 'failed':
      return failed(failureOf(body));
    case 'expired':
      return failed(jobEnded('job_expired'));
    default:
      return failureInAnswer(body.error) ?? unknownState();
  }
}

const LONGEST_SIZE = 20;

function failureOf({ error }: Body): Failure {
  return isRecord(error) ? jobFailed({ message: error.message, code: error.code }) : jobFailed({ message: error });
}

/** Returns the result. OpenAI returns the video only with the key; servers that have copied its API often give a public URL. */
function resultOf(body: Body, id: string, hasThumbnail: boolean): JobResult {
  const content = `/videos/${encodeURIComponent(id)}/content`;
  const own = addressIn(body);
  const source: FileSource = own === null ? { kind: 'channel', url: content } : { kind: 'url', url: own };
  const cover: FileSource = { kind: 'channel', url: `${content}?variant=thumbnail` };
  const size = typeof body.size === 'string' ? pairOf(body.size.slice(0, LONGEST_SIZE), 'x') : null;
  return {
    items: [
      {
        source,
        mediaType: 'video/mp4',
        durationSeconds: secondsOf(body.seconds),
        ...(hasThumbnail && own === null && { cover }),
      },
    ],
    resolution: size === null ? null : resolutionOf(size),
    model: nonEmptyText(body.model),
  };
}

function addressIn(body: Body): string | null {
  const nested = [body.outputs, body.metadata].filter(isRecord);
  const told = [body, ...nested].flatMap((place) => [place.video_url, place.url]);
  const found = told.find((one) => typeof one === 'string' && isWebAddress(one));
  return typeof found === 'string' ? found : null;
}
