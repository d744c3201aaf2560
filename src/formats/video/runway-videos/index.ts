import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure, withParam } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { entryOf, objectOf } from '../../shared/json/record.ts';
import { type Causes, causeOf, jobFailed, made } from '../../shared/tasks/job-answer.ts';
import { cancelBy } from '../../shared/tasks/job-cancel.ts';
import { madeVideo } from '../../shared/tasks/job-file.ts';
import { errorMember, jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest, VERSION_HEADER } from './request.ts';

const MOST_OUTPUTS = 16;

/** Codes of moderation, and of unusable images (docs.dev.runwayml.com, "Task failures"). */
const CAUSES: Causes = [
  [/^(?:SAFETY|INPUT_PREPROCESSING\.SAFETY)\b/, 'content'],
  [/^ASSET\b/, 'input'],
];

/** The client's names for members of the provider's requests. */
const FIELDS: Readonly<Record<string, string>> = {
  promptText: 'prompt',
  negativePrompt: 'negative_prompt',
  promptImage: 'image_url',
  references: 'reference_image_urls',
  promptVideo: 'video_url',
  videoUri: 'video_url',
  ratio: 'aspect_ratio',
  targetAspectRatio: 'aspect_ratio',
};

/**
 * Videos at Runway: one endpoint each for videos from texts, images and videos, and one for all jobs. `contentModeration`, and
 * members that refer to files of the account (`runway://`), are left to the owner of the channel.
 */
export const runwayVideos: TaskWire<VideoRequest> = {
  name: 'runway-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  harmlessOptions: ['proresProfile', 'mode'],
  pricedOptions: ['outputFormat'],
  // "Get task": a client that polls more often than every five seconds may be throttled.
  intervals: { firstMs: 5_000, leastMs: 5_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  ...jobs({
    id: 'id',
    refusalIn: errorMember,
    pathOf: (id) => `/tasks/${id}`,
    pollHeaders: VERSION_HEADER,
    status: 'status',
    states: {
      PENDING: 'pending',
      THROTTLED: 'pending',
      RUNNING: 'processing',
      SUCCEEDED: 'done',
      FAILED: 'failed',
      CANCELLED: 'canceled',
      CANCELED: 'canceled',
    },
    /** Converts a share of 1. */
    progressOf: ({ progress: share, status }) =>
      status === 'RUNNING' && typeof share === 'number' && share >= 0 && share <= 1 ? Math.floor(share * 100) : null,
    resultOf({ output }) {
      const items = listOf(output)
        .slice(0, MOST_OUTPUTS)
        .map((url) => madeVideo({ url }))
        .filter((item) => item !== null);
      // Frames with sound come with an audio file, which is not a video of its own.
      const videos = items.filter(({ mediaType }) => mediaType !== 'audio/wav');
      return made(videos.length > 0 ? videos : items);
    },
    failureOf: ({ failure, failureCode }) => jobFailed({ message: failure, about: causeOf(failureCode, CAUSES) }),
  }),
  // "Cancel or delete a task": 204 for a task that is running, pending or throttled. It cannot be fetched again.
  cancel: cancelBy({
    ...{ method: 'DELETE', means: 'ended', endsBegun: 'billed' },
    pathOf: ({ id = '' }) => `/tasks/${encodeURIComponent(id)}`,
    headers: VERSION_HEADER,
  }),
  /** Decodes errors, which name the fields at fault in `issues[].path`. */
  decodeFailure(status, headers, bytes) {
    const failure = decodeFailure(status, headers, bytes);
    if (failure.side !== 'client') return failure;
    const [issue] = listOf(objectOf(parseJsonBytes(bytes)).issues);
    const [name] = listOf(objectOf(issue).path);
    if (typeof name !== 'string' || !/^\w{1,64}$/.test(name)) return failure;
    return withParam(failure, entryOf(FIELDS, name) ?? name);
  },
};
