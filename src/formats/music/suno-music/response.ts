import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, MadeItem, Submission } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import {
  failed,
  jobFailed,
  jobObject,
  jobWithoutId,
  jobWords,
  percentOf,
  reportsByTicket,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { jobId } from '../../shared/tasks/job-file.ts';
import type { BatchedPolls, PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';
import { clipItem, lyricsItem } from './decode-clip.ts';

type Json = Readonly<Record<string, unknown>>;

/** Implements `TaskWire.decodeSubmission`: `{code: "success", message, data: <id>}`. */
export function decodeSubmission({ bytes }: WireAnswer, { action }: MusicRequest): Submission | Failure {
  const data = dataOf(bytes);
  if (data instanceof Failure) return data;
  const id = jobId(isRecord(data) ? (data.task_id ?? data.id) : data);
  if (id === null) return jobWithoutId();
  return taken({ id, action });
}

/** Returns the member `data` of an answer, or the provider's refusal. */
function dataOf(bytes: Uint8Array): unknown {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const { code } = body;
  // Imitators write the code as a number.
  const isSuccess = typeof code === 'string' ? code.toLowerCase() === 'success' : code === 1 || code === 200;
  if (isSuccess) return body.data;
  const words = jobWords(body.message ?? body.msg);
  return failureInAnswer({ code: code === 1 ? null : code, message: words }) ?? bodyNoAnswer();
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/suno/fetch/${encodeURIComponent(id)}` };
}

/** Implements `TaskWire.decodePoll`. A job that the proxy does not know yet is polled again. */
export function decodePoll({ bytes }: WireAnswer, ticket: JobTicket): JobReport | Failure {
  const data = dataOf(bytes);
  if (data instanceof Failure) return data;
  return isRecord(data) ? reportOf(data, ticket) : bodyNoAnswer();
}

/** Polls several jobs at once, as the proxies poll one another. */
export const batch: BatchedPolls = {
  most: 50,
  poll(tickets) {
    const actions = new Set(tickets.map(({ action }) => action));
    const [action] = actions;
    const body = { ids: tickets.map(({ id }) => id), ...(actions.size === 1 && { action }) };
    return {
      method: 'POST',
      url: '/suno/fetch',
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify(body)),
    };
  },
  decode({ bytes }, tickets) {
    const data = dataOf(bytes);
    if (data instanceof Failure) return data;
    if (!Array.isArray(data)) return bodyNoAnswer();
    const byId = new Map<unknown, Json>();
    for (const task of data) if (isRecord(task)) byId.set(task.task_id, task);
    return reportsByTicket(tickets, byId, reportOf);
  },
};

type Stage = 'pending' | 'processing' | 'done' | 'failed';

/** The states in lower case; proxies use either case. The state is empty while nothing is known about a job. */
const STAGES: Readonly<Record<string, Stage>> = {
  '': 'pending',
  not_start: 'pending',
  unknown: 'pending',
  submitted: 'pending',
  queued: 'pending',
  queueing: 'pending',
  pending: 'pending',
  in_progress: 'processing',
  processing: 'processing',
  streaming: 'processing',
  success: 'done',
  complete: 'done',
  completed: 'done',
  failure: 'failed',
  failed: 'failed',
  error: 'failed',
};

function reportOf(task: Json, ticket: JobTicket): JobReport | Failure {
  const { status } = task;
  const stage = typeof status === 'string' ? entryOf(STAGES, status.toLowerCase()) : undefined;
  if (stage === undefined) return unknownState();
  if (stage === 'failed') return failedWith(jobWords(task.fail_reason) || wordsOfClips(task.data));
  if (stage !== 'done') return working(stage, shareOf(task.progress));
  const items = itemsOf(task.data, ticket);
  if (items.length > 0) return { state: 'done', result: { items, model: modelOf(task.data) } };
  return failedWith(jobWords(task.fail_reason) || wordsOfClips(task.data));
}

const CONTENT =
  /moderat|inappropriate|sensitive|copyright|violat|polic(?:y|ies)|prohibited|flagged|blocked|banned|artist name/i;

function failedWith(words: string): JobReport {
  return failed(jobFailed({ message: words, about: CONTENT.test(words) ? 'content' : null }));
}

/** Reads a text such as `35%`. */
function shareOf(progress: unknown): number | null {
  const digits = typeof progress === 'string' ? /^\s*(\d{1,3})\s*%?\s*$/.exec(progress)?.[1] : undefined;
  return percentOf(digits === undefined ? progress : Number(digits));
}

const MOST_CLIPS = 32;

/**
 * Returns a list of clips, one lyrics object, or the contents of an object around the clips; some servers write these as JSON
 * text.
 */
function recordsOf(data: unknown): readonly Json[] {
  const value: unknown = typeof data === 'string' ? parseJson(data) : data;
  const inner: unknown = isRecord(value) && value.clips !== undefined ? value.clips : value;
  if (Array.isArray(inner)) return inner.filter(isRecord).slice(0, MOST_CLIPS);
  if (!isRecord(inner)) return [];
  const isOne = 'text' in inner || 'audio_url' in inner || 'title' in inner;
  return isOne ? [inner] : Object.values(inner).filter(isRecord).slice(0, MOST_CLIPS);
}

function itemsOf(data: unknown, { id = '', action }: JobTicket): readonly MadeItem[] {
  const items = recordsOf(data).map((one) => (action === 'LYRICS' ? lyricsItem(one) : clipItem(one, id)));
  return items.filter((item) => item !== null);
}

/** Returns the message of the first clip that failed. */
function wordsOfClips(data: unknown): string {
  for (const clip of recordsOf(data)) {
    const metadata = isRecord(clip.metadata) ? clip.metadata : {};
    const words = jobWords(metadata.error_message) || jobWords(clip.error_message);
    if (words !== '') return words;
  }
  return '';
}

function modelOf(data: unknown): string | null {
  const name = recordsOf(data)[0]?.model_name;
  return typeof name === 'string' && /^[\w.-]{1,100}$/.test(name) ? name : null;
}
