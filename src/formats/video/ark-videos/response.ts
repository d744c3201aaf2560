import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { countOrNull, nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  failed,
  jobEnded,
  jobFailed,
  jobObject,
  jobWithoutFile,
  jobWithoutId,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import { taskList } from '../../shared/tasks/task-list.ts';
import type { BatchedPolls, PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';

export const TASKS = '/contents/generations/tasks';

type Told = Readonly<Record<string, unknown>>;

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.id);
  if (id === null) return failureInAnswer(body.error) ?? jobWithoutId();
  return taken({ id });
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `${TASKS}/${encodeURIComponent(id)}` };
}

export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  const body = jobObject(bytes);
  return body instanceof Failure ? body : reportOf(body);
}

function reportOf(task: Told): JobReport | Failure {
  switch (task.status) {
    case 'queued':
      return working('pending');
    case 'running':
      return working('processing');
    case 'succeeded':
      return doneWith(task);
    case 'failed': {
      const { code = null, message = null } = isRecord(task.error) ? task.error : {};
      return failed(jobFailed({ message: message, about: aboutOf(code) }));
    }
    case 'cancelled':
    case 'canceled':
      return failed(jobEnded('job_canceled'));
    case 'expired':
      return failed(jobEnded('job_expired'));
    default:
      return unknownState();
  }
}

function doneWith({ content, usage, resolution, duration, model }: Told): JobReport | Failure {
  const { video_url: url = null, last_frame_url: lastFrame = null } = isRecord(content) ? content : {};
  const item = madeVideo({ url, cover: lastFrame, seconds: duration });
  if (item === null) return jobWithoutFile();
  const output = countOrNull(isRecord(usage) ? usage.completion_tokens : null);
  return {
    state: 'done',
    result: {
      items: [item],
      resolution: nonEmptyText(resolution)?.slice(0, 20).toLowerCase() ?? null,
      tokens: output === null ? null : { input: 0, output },
      model: nonEmptyText(model)?.slice(0, 200) ?? null,
    },
  };
}

/**
 * Codes such as `InputTextSensitiveContentDetected.PolicyViolation`, `OutputVideoRiskDetection`; volcengine.com/docs/82379,
 * "Error codes".
 */
const SENSITIVE = /SensitiveContentDetected|RiskDetection|PolicyViolation|ContentRestricted/;

function aboutOf(code: unknown): 'content' | 'input' | null {
  if (typeof code !== 'string') return null;
  const name = code.slice(0, 200);
  if (SENSITIVE.test(name)) return 'content';
  return /^(?:InvalidParameter|MissingParameter|InvalidImage|InvalidArgument)/.test(name) ? 'input' : null;
}

/** Polls by "List video generation tasks", which covers the last seven days. */
export const batch: BatchedPolls = taskList(TASKS, jobId, reportOf);

/** The client's names for members of the provider's requests. */
const FIELDS: ClientsNames = [
  [/^content\b.*\bvideo_url/, 'video_url'],
  [/^content\b.*\bimage_url/, 'image_url'],
  [/^content\b/, 'prompt'],
  [/^ratio\b/, 'aspect_ratio'],
  [/^generate_audio\b/, 'audio'],
  [/^safety_identifier\b/, 'user'],
];

/** Decodes `{"error": {"code", "message", "param", "type"}}`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  const body: unknown = parseJsonBytes(bytes);
  const error: unknown = isRecord(body) ? body.error : null;
  if (isRecord(error) && aboutOf(error.code) === 'content') return contentRefused(failure.message);
  return aboutField(failure, failure.details.param ?? '', FIELDS);
}
