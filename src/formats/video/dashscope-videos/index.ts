import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type Causes,
  type ClientsNames,
  causeOf,
  jobFailed,
  made,
  secondsOf,
} from '../../shared/tasks/job-answer.ts';
import { cancelBy } from '../../shared/tasks/job-cancel.ts';
import { madeVideo } from '../../shared/tasks/job-file.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';

/**
 * Leads from the base address of the compatible API (`/compatible-mode/v1`) to that of the native API on the same host; also from a base
 * address that already is the native API's, or from a bare origin.
 */
const OWN_API = '/../../api/v1';

const LONGEST_PROMPT = 20_000;

/** From Model Studio, "Error codes". */
const CAUSES: Causes = [
  [/^(?:DataInspectionFailed|data_inspection_failed|IPInfringementSuspect|FaqRuleBlocked)/, 'content'],
  [/^(?:Invalid(?:Parameter|File|URL|Image|Video|DataType)|BadRequest|MissingParameter)/, 'input'],
];

/** The client's names for members of the provider's requests. */
const FIELDS: ClientsNames = [
  [/\bimg_url\b|\bfirst_frame/, 'image_url'],
  [/\blast_frame/, 'end_image_url'],
  [/\breference_image/, 'reference_image_urls'],
  [/\breference_video|\bfirst_clip/, 'video_url'],
  [/\bratio\b/, 'aspect_ratio'],
  [/\b(?:negative_prompt|resolution|duration|size|seed|prompt)\b/, null],
];

/** Wan at Alibaba Cloud Model Studio, over the provider's native API instead of the compatible one. */
export const dashscopeVideos: TaskWire<VideoRequest> = {
  name: 'dashscope-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Seconds of reference videos are billed; audio to lip-sync is not.
  harmlessOptions: ['prompt_extend', 'watermark', 'shot_type', 'audio_url', 'template'],
  // "Query the result": every fifteen seconds.
  intervals: { firstMs: 10_000, leastMs: 10_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  ...jobs({
    jobIn: ({ output, usage }) => ({ ...objectOf(output), usage }),
    id: 'task_id',
    refusalIn: ({ code, message }) =>
      causeOf(code, CAUSES) === 'content'
        ? jobFailed({ message, about: 'content' })
        : failureInAnswer({ code, message }),
    pathOf: (id) => `${OWN_API}/tasks/${id}`,
    status: 'task_status',
    states: {
      PENDING: 'pending',
      SUSPENDED: 'pending',
      RUNNING: 'processing',
      SUCCEEDED: 'done',
      FAILED: 'failed',
      CANCELED: 'canceled',
      CANCELLED: 'canceled',
      // A task is kept for one day.
      UNKNOWN: 'lost',
    },
    resultOf({ video_url: url, actual_prompt: actual, orig_prompt: original, usage }) {
      // The length of a video made from another one is not the billed length, which includes the other's seconds.
      const { output_video_duration: own, video_duration: video, duration, SR: lines } = objectOf(usage);
      const item = madeVideo({ url, seconds: secondsOf(own) ?? secondsOf(video) ?? secondsOf(duration) });
      const used = nonEmptyText(actual)?.slice(0, LONGEST_PROMPT);
      const isOther = item !== null && used !== undefined && used !== original;
      return made([isOther ? { ...item, revisedPrompt: used } : item], { resolution: resolutionOf(lines) });
    },
    failureOf: ({ message, code }) => jobFailed({ message, about: causeOf(code, CAUSES) }),
  }),
  // "Asynchronous task management API": only a task in the state PENDING is cancelled.
  cancel: cancelBy({
    ...{ method: 'POST', means: 'ended' },
    pathOf: ({ id = '' }) => `${OWN_API}/tasks/${encodeURIComponent(id)}/cancel`,
  }),
  /** Decodes `{"code": "InvalidParameter", "message", "request_id"}`: only the message names the field. */
  decodeFailure(status, headers, bytes) {
    const failure = decodeFailure(status, headers, bytes);
    const { code } = objectOf(parseJsonBytes(bytes));
    if (causeOf(code, CAUSES) === 'content') return contentRefused(failure.message);
    return failure.details.param === undefined ? aboutField(failure, failure.message, FIELDS) : failure;
  },
};

/** Reads a number of lines (1080), or its text. */
function resolutionOf(lines: unknown): string | null {
  const number = typeof lines === 'string' ? Number(/^(\d{3,4})P?$/i.exec(lines)?.[1]) : lines;
  return typeof number === 'number' && Number.isInteger(number) && number > 0 && number < 10_000 ? `${number}p` : null;
}
