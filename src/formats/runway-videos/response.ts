import { Failure } from '../../domain/failure/failure.ts';
import type { JobReport, JobTicket, MadeItem, Submission } from '../../domain/tasks/job.ts';
import { garbage } from '../shared/answer-failure.ts';
import { failureInAnswer } from '../shared/error-in-answer.ts';
import { jobObject } from '../shared/job-answer.ts';
import { parseJsonBytes } from '../shared/json-text.ts';
import { entryOf, isRecord } from '../shared/record.ts';
import {
  failed,
  jobFailure,
  jobGone,
  jobWithoutId,
  toldId,
  unknownState,
  videoAt,
  working,
} from '../shared/told-job.ts';
import { decodeFailure as decodeUsual } from '../shared/upstream-failure.ts';
import type { PollRequest, WireAnswer } from '../wire.ts';
import { VERSION_HEADER } from './request.ts';

const MOST_OUTPUTS = 16;

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = toldId(body.id);
  if (id === null) return failureInAnswer(body.error) ?? jobWithoutId();
  return { ticket: { id }, report: working('pending') };
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
      return working('processing', percentOf(body.progress));
    case 'SUCCEEDED':
      return doneWith(body.output);
    case 'FAILED':
      return failed(jobFailure({ words: body.failure, about: aboutOf(body.failureCode) }));
    case 'CANCELLED':
    case 'CANCELED':
      return failed(jobGone('job_canceled'));
    default:
      return unknownState();
  }
}

/** A share of 1. */
function percentOf(share: unknown): number | null {
  return typeof share === 'number' && share >= 0 && share <= 1 ? Math.floor(share * 100) : null;
}

/** Frames with sound have a file of it beside them, which is no video of its own. */
function doneWith(output: unknown): JobReport | Failure {
  const made = (Array.isArray(output) ? output.slice(0, MOST_OUTPUTS) : [])
    .map((url) => videoAt(url))
    .filter((item): item is MadeItem => item !== null);
  const videos = made.filter(({ mediaType }) => mediaType !== 'audio/wav');
  const items = videos.length > 0 ? videos : made;
  if (items.length === 0) return garbage('The upstream has finished the job without a video.');
  return { state: 'done', result: { items } };
}

/** docs.dev.runwayml.com, "Task failures": the codes of moderation, and of images that cannot be used. */
function aboutOf(code: unknown): 'content' | 'input' | 'upstream' {
  if (typeof code !== 'string') return 'upstream';
  if (/^(?:SAFETY|INPUT_PREPROCESSING\.SAFETY)\b/.test(code)) return 'content';
  return /^ASSET\b/.test(code) ? 'input' : 'upstream';
}

/** The client's names for members of its requests. */
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

/** An error names the fields that it is about in `issues[].path`. */
export function decodeFailure(status: number, headers: Headers, bytes: Uint8Array): Failure {
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
