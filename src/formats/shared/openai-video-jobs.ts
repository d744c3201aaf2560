import { Failure } from '../../domain/failure/failure.ts';
import type { FileSource, JobReport, JobResult, JobTicket, Submission } from '../../domain/tasks/job.ts';
import type { PollRequest, WireAnswer, WireTarget } from '../wire.ts';
import { garbage } from './answer-failure.ts';
import { failureInAnswer } from './error-in-answer.ts';
import { isWebAddress } from './image-answer.ts';
import { pairOf } from './image-size.ts';
import { jobExpired, jobFailed, jobObject, percentOf, secondsOf } from './job-answer.ts';
import { nonEmptyText } from './json-values.ts';
import { entryOf, isRecord } from './record.ts';
import { resolutionOf } from './video-shape.ts';

/* The jobs of OpenAI's `/videos`, and of servers that have copied it. */

type Body = Readonly<Record<string, unknown>>;

/** Which models have a picture of each video, at an address beside it. */
export type HasThumbnail = (upstreamModel: string) => boolean;

/** A server of its own may have ids of any kind, such as base64 text; it is one segment of a path, and no `..`. */
const ID = /^(?=.*[\w])[\w.:=+~-]{1,500}$/;

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
  const { id } = body;
  if (typeof id !== 'string' || !ID.test(id)) {
    return failureInAnswer(body.error) ?? garbage('The upstream did not say the id of the job.');
  }
  const report = reportOf(body, id, hasThumbnail(target.upstreamModel));
  // The job is taken, whatever else the answer says: that is read again from the next one.
  if (report instanceof Failure)
    return { ticket: { id }, report: { state: 'working', status: 'pending', progress: null } };
  return report.state === 'failed' ? report.failure : { ticket: { id }, report };
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
      return { state: 'working', status: state, progress: percentOf(body.progress) };
    case 'done':
      return { state: 'done', result: resultOf(body, id, hasThumbnail) };
    case 'failed':
      return { state: 'failed', failure: failureOf(body) };
    case 'expired':
      return { state: 'failed', failure: jobExpired() };
    default:
      return failureInAnswer(body.error) ?? garbage('The upstream reported a state of the job that is not known.');
  }
}

const LONGEST_SIZE = 20;

function failureOf({ error }: Body): Failure {
  return isRecord(error) ? jobFailed({ message: error.message, code: error.code }) : jobFailed({ message: error });
}

/** OpenAI gives the video only with the key; servers that have copied its API often name an address that anybody can read. */
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
