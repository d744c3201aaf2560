import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import {
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
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';
import { VERSION_HEADER } from './request.ts';

const MOST_OUTPUTS = 16;

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.id);
  if (id === null) return failureInAnswer(body.error) ?? jobWithoutId();
  return taken({ id });
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/tasks/${encodeURIComponent(id)}`, headers: VERSION_HEADER };
}

export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  switch (body.status) {
    case 'PENDING':
    case 'THROTTLED':
      return working('pending');
    case 'RUNNING':
      return working('processing', shareOf(body.progress));
    case 'SUCCEEDED':
      return doneWith(body.output);
    case 'FAILED':
      return failed(jobFailed({ message: body.failure, about: aboutOf(body.failureCode) }));
    case 'CANCELLED':
    case 'CANCELED':
      return failed(jobEnded('job_canceled'));
    default:
      return unknownState();
  }
}

/** Converts a share of 1 to whole percent. */
function shareOf(share: unknown): number | null {
  return typeof share === 'number' && share >= 0 && share <= 1 ? Math.floor(share * 100) : null;
}

/** Returns the result. Frames with sound come with an audio file, which is not a video of its own. */
function doneWith(output: unknown): JobReport | Failure {
  const told: readonly unknown[] = Array.isArray(output) ? output.slice(0, MOST_OUTPUTS) : [];
  const made = told.map((url) => madeVideo({ url })).filter((item) => item !== null);
  const videos = made.filter(({ mediaType }) => mediaType !== 'audio/wav');
  const items = videos.length > 0 ? videos : made;
  if (items.length === 0) return jobWithoutFile();
  return { state: 'done', result: { items } };
}

/** Returns the cause from codes of moderation, and of unusable images (docs.dev.runwayml.com, "Task failures"). */
function aboutOf(code: unknown): 'content' | 'input' | null {
  if (typeof code !== 'string') return null;
  if (/^(?:SAFETY|INPUT_PREPROCESSING\.SAFETY)\b/.test(code)) return 'content';
  return /^ASSET\b/.test(code) ? 'input' : null;
}

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

/** Decodes errors, which name the fields at fault in `issues[].path`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  if (failure.side !== 'client') return failure;
  const body: unknown = parseJsonBytes(bytes);
  const issues: unknown = isRecord(body) ? body.issues : null;
  const [issue]: readonly unknown[] = Array.isArray(issues) ? issues : [];
  const path: unknown = isRecord(issue) ? issue.path : null;
  const [name]: readonly unknown[] = Array.isArray(path) ? path : [];
  if (typeof name !== 'string' || !/^\w{1,64}$/.test(name)) return failure;
  return new Failure(failure.code, { ...failure.details, param: entryOf(FIELDS, name) ?? name });
}
