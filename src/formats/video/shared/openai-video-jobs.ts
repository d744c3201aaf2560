import { pairOf } from '../../../domain/images/image-size.ts';
import type { FileSource } from '../../../domain/tasks/job.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { isWebAddress } from '../../shared/media/image-answer.ts';
import { jobFailed, made, percentOf, secondsOf } from '../../shared/tasks/job-answer.ts';
import { errorMember, jobs } from '../../shared/tasks/job-tables.ts';
import { resolutionOf } from './video-shape.ts';

const LONGEST_SIZE = 20;

/**
 * Reads the jobs of OpenAI's `/videos`, and of servers that have copied it. `hasThumbnail` returns whether a model's videos have
 * a thumbnail at a URL next to the video's.
 */
export function openaiJobs(hasThumbnail: (upstreamModel: string) => boolean = () => false) {
  return jobs({
    id: 'id',
    refusalIn: errorMember,
    isToldAtOnce: true,
    pathOf: (id) => `/videos/${id}`,
    status: 'status',
    isAnyCase: true,
    // OpenAI's own states, and those of servers that have copied its API.
    states: {
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
    },
    otherwise: errorMember,
    progressOf: ({ progress }) => percentOf(progress),
    /** OpenAI returns the video only with the key; servers that have copied its API often give a public URL. */
    resultOf(job, { id = '' }, { upstreamModel }) {
      const content = `/videos/${encodeURIComponent(id)}/content`;
      const own = addressIn(job);
      const source: FileSource = own === null ? { kind: 'channel', url: content } : { kind: 'url', url: own };
      const cover: FileSource = { kind: 'channel', url: `${content}?variant=thumbnail` };
      const hasCover = own === null && hasThumbnail(upstreamModel);
      const size = typeof job.size === 'string' ? pairOf(job.size.slice(0, LONGEST_SIZE), 'x') : null;
      const item = { source, mediaType: 'video/mp4', durationSeconds: secondsOf(job.seconds) };
      return made([hasCover ? { ...item, cover } : item], {
        resolution: size === null ? null : resolutionOf(size),
        model: nonEmptyText(job.model),
      });
    },
    failureOf: ({ error }) =>
      jobFailed(isRecord(error) ? { message: error.message, code: error.code } : { message: error }),
  });
}

function addressIn(job: Readonly<Record<string, unknown>>): string | null {
  const nested = [job.outputs, job.metadata].filter(isRecord);
  const told = [job, ...nested].flatMap((place) => [place.video_url, place.url]);
  const found = told.find((one) => typeof one === 'string' && isWebAddress(one));
  return typeof found === 'string' ? found : null;
}
