import type { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport } from '../../../domain/tasks/job.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { countOrNull, nonEmptyText } from '../../shared/json/json-values.ts';
import { objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import { aboutField, type Causes, type ClientsNames, causeOf, jobFailed, made } from '../../shared/tasks/job-answer.ts';
import { cancelBy } from '../../shared/tasks/job-cancel.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import { errorMember, type JobTables, jobReport, jobs } from '../../shared/tasks/job-tables.ts';
import { taskList } from '../../shared/tasks/task-list.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';

const TASKS = '/contents/generations/tasks';

/**
 * Codes such as `InputTextSensitiveContentDetected.PolicyViolation`, `OutputVideoRiskDetection`; volcengine.com/docs/82379,
 * "Error codes".
 */
const CAUSES: Causes = [
  [/SensitiveContentDetected|RiskDetection|PolicyViolation|ContentRestricted/, 'content'],
  [/^(?:InvalidParameter|MissingParameter|InvalidImage|InvalidArgument)/, 'input'],
];

const JOBS: JobTables = {
  id: 'id',
  refusalIn: errorMember,
  pathOf: (id) => `${TASKS}/${id}`,
  status: 'status',
  states: {
    queued: 'pending',
    running: 'processing',
    succeeded: 'done',
    failed: 'failed',
    cancelled: 'canceled',
    canceled: 'canceled',
    expired: 'expired',
  },
  resultOf({ content, usage, resolution, duration, model }): JobReport | Failure {
    const { video_url: url, last_frame_url: cover } = objectOf(content);
    const output = countOrNull(objectOf(usage).completion_tokens);
    return made([madeVideo({ url, cover, seconds: duration })], {
      resolution: nonEmptyText(resolution)?.slice(0, 20).toLowerCase() ?? null,
      tokens: output === null ? null : { input: 0, output },
      model: nonEmptyText(model)?.slice(0, 200) ?? null,
    });
  },
  failureOf({ error }) {
    const { code, message } = objectOf(error);
    return jobFailed({ message, about: causeOf(code, CAUSES) });
  },
};

/** The client's names for members of the provider's requests. */
const FIELDS: ClientsNames = [
  [/^content\b.*\bvideo_url/, 'video_url'],
  [/^content\b.*\bimage_url/, 'image_url'],
  [/^content\b/, 'prompt'],
  [/^ratio\b/, 'aspect_ratio'],
  [/^generate_audio\b/, 'audio'],
  [/^safety_identifier\b/, 'user'],
];

/**
 * Seedance at Volcengine Ark, and at BytePlus ModelArk, which has the same API. Settings that older models read from the end of
 * the prompt, such as `--ratio 16:9`, are sent as members, which all models accept.
 */
export const arkVideos: TaskWire<VideoRequest> = {
  name: 'ark-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // A draft and a video without a watermark cost no more; a web search, another service tier and a priority may.
  harmlessOptions: ['watermark', 'camera_fixed', 'return_last_frame', 'execution_expires_after', 'draft'],
  pricedOptions: ['frames'],
  intervals: { firstMs: 5_000, leastMs: 5_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  ...jobs(JOBS),
  // "Cancel or delete video generation tasks": only a queued task is cancelled, a finished one is deleted.
  cancel: cancelBy({
    ...{ method: 'DELETE', means: 'ended' },
    pathOf: ({ id = '' }) => `${TASKS}/${encodeURIComponent(id)}`,
  }),
  // "List video generation tasks" covers the last seven days.
  batch: taskList(TASKS, jobId, (task, ticket, target) => jobReport(JOBS, task, ticket, target)),
  /** Decodes `{"error": {"code", "message", "param", "type"}}`. */
  decodeFailure(status, headers, bytes) {
    const failure = decodeFailure(status, headers, bytes);
    const { code } = objectOf(objectOf(parseJsonBytes(bytes)).error);
    if (causeOf(code, CAUSES) === 'content') return contentRefused(failure.message);
    return aboutField(failure, failure.details.param ?? '', FIELDS);
  },
};
