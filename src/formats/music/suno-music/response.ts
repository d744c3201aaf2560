import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobTicket, MadeItem } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer, jsonObject } from '../../shared/failure/error-in-answer.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { mediaTypeByName } from '../../shared/tasks/file-types.ts';
import {
  failed,
  jobFailed,
  jobWords,
  made,
  percentOf,
  reportsByTicket,
  secondsOf,
} from '../../shared/tasks/job-answer.ts';
import { fileAt, jobId } from '../../shared/tasks/job-file.ts';
import { jobReport, jobs, type StatusTables } from '../../shared/tasks/job-tables.ts';
import type { BatchedPolls } from '../../shared/tasks/wire.ts';
import { clipIdOf } from './objects.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the member `data` of an answer, or the provider's refusal. */
function dataOf(body: Json): unknown {
  const { code } = body;
  // Imitators write the code as a number.
  const isSuccess = typeof code === 'string' ? code.toLowerCase() === 'success' : code === 1 || code === 200;
  if (isSuccess) return body.data;
  const words = jobWords(body.message ?? body.msg);
  return failureInAnswer({ code: code === 1 ? null : code, message: words }) ?? bodyNoAnswer();
}

/** Reads a task, whose states are in lower case here; it is empty while nothing is known about a job. */
const TASK: StatusTables = {
  status: 'status',
  isAnyCase: true,
  states: {
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
  },
  /** Reads a number, or a text such as `35%`. */
  progressOf({ progress }) {
    const digits = typeof progress === 'string' ? /^\s*(\d{1,3})\s*%?\s*$/.exec(progress)?.[1] : undefined;
    return percentOf(digits === undefined ? progress : Number(digits));
  },
  resultOf(task, ticket) {
    const items = itemsOf(task.data, ticket);
    return items.length > 0 ? made(items, { model: modelOf(task.data) }) : failed(failureOf(task));
  },
  failureOf,
};

const CONTENT =
  /moderat|inappropriate|sensitive|copyright|violat|polic(?:y|ies)|prohibited|flagged|blocked|banned|artist name/i;

function failureOf({ fail_reason: reason, data }: Json): Failure {
  const words = jobWords(reason) || wordsOfClips(data);
  return jobFailed({ message: words, about: CONTENT.test(words) ? 'content' : null });
}

/** The answers are `{code: "success", message, data}`, where `data` is the id of a new job, or a task. */
export const SUNO_JOBS = jobs<MusicRequest>({
  ...TASK,
  jobIn(body) {
    const data = dataOf(body);
    if (data instanceof Failure) return data;
    return isRecord(data) ? { ...data, task_id: data.task_id ?? data.id } : { task_id: data };
  },
  id: 'task_id',
  ticketOf: ({ action }) => ({ action }),
  pathOf: (id) => `/suno/fetch/${id}`,
});

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
  decode({ bytes }, tickets, target) {
    const body = jsonObject(bytes);
    const data = body instanceof Failure ? body : dataOf(body);
    if (data instanceof Failure) return data;
    if (!Array.isArray(data)) return bodyNoAnswer();
    const byId = new Map<unknown, Json>();
    for (const task of data) if (isRecord(task)) byId.set(task.task_id, task);
    return reportsByTicket(tickets, byId, (task, ticket) => jobReport(TASK, task, ticket, target));
  },
};

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
    const metadata = objectOf(clip.metadata);
    const words = jobWords(metadata.error_message) || jobWords(clip.error_message);
    if (words !== '') return words;
  }
  return '';
}

function modelOf(data: unknown): string | null {
  const name = recordsOf(data)[0]?.model_name;
  return typeof name === 'string' && /^[\w.-]{1,100}$/.test(name) ? name : null;
}

const LONGEST_TEXT = 50_000;

/** Returns a clip of a song; `null` if it has failed or has no audio. */
function clipItem(clip: Readonly<Record<string, unknown>>, job: string): MadeItem | null {
  const source = fileAt(clip.audio_url);
  if (source === null || clip.status === 'error') return null;
  const metadata = objectOf(clip.metadata);
  const id = jobId(clip.id) ?? jobId(clip.clip_id);
  return {
    source,
    mediaType: mediaTypeByName(source.url) ?? 'audio/mpeg',
    durationSeconds: secondsOf(metadata.duration) ?? secondsOf(clip.duration),
    cover: fileAt(clip.image_large_url) ?? fileAt(clip.image_url),
    video: fileAt(clip.video_url),
    title: textOf(clip.title),
    lyrics: textOf(metadata.prompt) ?? textOf(clip.prompt) ?? textOf(clip.text),
    tags: tagsOf(metadata.tags) ?? tagsOf(clip.tags),
    clipId: id === null ? null : clipIdOf(job, id),
  };
}

/** Returns an item with lyrics only; `null` if there are none. */
function lyricsItem(made: Readonly<Record<string, unknown>>): MadeItem | null {
  const lyrics = textOf(made.text);
  if (lyrics === null || made.status === 'error') return null;
  return { source: null, mediaType: null, title: textOf(made.title), lyrics, tags: tagsOf(made.tags) };
}

function textOf(value: unknown): string | null {
  return nonEmptyText(value)?.slice(0, LONGEST_TEXT).toWellFormed() ?? null;
}

function tagsOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value);
  return textOf(
    value
      .filter((tag) => typeof tag === 'string')
      .slice(0, 100)
      .join(', '),
  );
}
