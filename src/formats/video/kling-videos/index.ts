import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { found, jobFailed, jobWithoutId, made } from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import { type JobTables, jobReport, jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { decodeFailure, errorIn } from './failure.ts';
import { asks, encodeRequest, KLING_PATHS, pathOf } from './request.ts';

const MOST_VIDEOS = 10;

/** Messages of Kling's filters: "Failure to pass the risk control system". */
const FLAGGED =
  /\brisk control\b|\bsensitive\b|\bcontent (?:security|safety|policy|moderation)\b|\bmoderat|\binappropriate\b|\bviolat/i;

/** The jobs in `{code, message, request_id, data: {task_id, task_status}}`. One with an id was accepted, whatever its state. */
const JOBS: JobTables<VideoRequest> = {
  jobIn: (body, answer) => errorIn(body, answer) ?? (isRecord(body.data) ? body.data : bodyNoAnswer()),
  id: 'task_id',
  isToldAtOnce: true,
  ticketOf: (request) => ({ path: pathOf(request) }),
  pathOf: (id, { path }) => `/videos/${KLING_PATHS.find((one) => one === path) ?? 'text2video'}/${id}`,
  status: 'task_status',
  states: { submitted: 'pending', processing: 'processing', succeed: 'done', failed: 'failed' },
  resultOf({ task_result: result, watermark_info: watermark }) {
    const { videos } = objectOf(result);
    const list = Array.isArray(videos) ? videos.slice(0, MOST_VIDEOS).filter(isRecord) : [];
    // Both versions are made if the client asks for a watermark.
    const isMarked = objectOf(watermark).enabled === true;
    const items = list.map(({ url, watermark_url: marked, duration: seconds }) => {
      return (isMarked ? madeVideo({ url: marked, seconds }) : null) ?? madeVideo({ url, seconds });
    });
    return made(items);
  },
  failureOf: ({ task_status_msg: said }) =>
    jobFailed({ message: said, about: FLAGGED.test(textOrEmpty(said).slice(0, 2_000)) ? 'content' : null }),
};
const { poll, ...others } = jobs(JOBS);

/**
 * Kling's videos (klingai.com, "API Reference"). A job carries the gateway's own name (`external_task_id`), by which it can be
 * looked up like by Kling's own id, at the endpoint that accepted it.
 */
export const klingVideos: TaskWire<VideoRequest> = {
  name: 'kling-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Elements and voices belong to an account; only the channel's owner may set a callback.
  harmlessOptions: [
    ...['cfg_scale', 'camera_control', 'static_mask', 'dynamic_masks', 'multi_shot', 'shot_type'],
    'watermark_info',
  ],
  pricedOptions: ['mode', 'sound', 'multi_prompt'],
  asks,
  encodeRequest,
  ...others,
  poll,
  find: ({ reference, address = '' }, target) => poll({ id: reference, path: address }, target),
  decodeFound(answer, { address: path = 'text2video' }, target) {
    const body = jsonObject(answer.bytes);
    const job = body instanceof Failure ? body : (JOBS.jobIn?.(body, answer) ?? body);
    if (job instanceof Failure) return job;
    const id = jobId(job.task_id);
    if (id === null) return jobWithoutId();
    const ticket = { id, path };
    return found(ticket, jobReport(JOBS, job, ticket, target));
  },
  decodeFailure,
};
