import { Failure } from '../../../domain/failure/failure.ts';
import type { FileSource, JobReport, JobTicket, MadeItem, Submission } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer, garbage } from '../../shared/failure/answer-failure.ts';
import { nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  failed,
  jobFailed,
  jobObject,
  jobWithoutId,
  percentOf,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';

const ID = /^job_[\w-]{1,6000}$/;
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MOST_ITEMS = 10;

type Body = Readonly<Record<string, unknown>>;

export function decodeSubmission(answer: WireAnswer): Submission | Failure {
  const body = jobObject(answer.bytes);
  if (body instanceof Failure) return body;
  const { id } = body;
  if (typeof id !== 'string' || !ID.test(id)) return jobWithoutId();
  return taken({ id }, reportOf(body));
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/jobs/${encodeURIComponent(id)}` };
}

export function decodePoll(answer: WireAnswer): JobReport | Failure {
  const body = jobObject(answer.bytes);
  return body instanceof Failure ? body : reportOf(body);
}

function reportOf(body: Body): JobReport | Failure {
  const { status, progress, error } = body;
  if (status === 'queued') return working('pending', percentOf(progress));
  if (status === 'working') return working('processing', percentOf(progress));
  if (status === 'refused') return failed(contentRefused(textOrEmpty(error)));
  if (status === 'failed') return failed(jobFailed({ message: error }));
  if (status !== 'done') return unknownState();
  const items = itemsOf(body.items);
  if (items instanceof Failure) return items;
  return { state: 'done', result: { items, resolution: nonEmptyText(body.resolution) } };
}

function itemsOf(list: unknown): readonly MadeItem[] | Failure {
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_ITEMS) return bodyNoAnswer();
  const items: MadeItem[] = [];
  for (const told of list) {
    const item = isRecord(told) ? itemOf(told) : null;
    if (item === null) return garbage('The upstream returned an invalid result.');
    items.push(item);
  }
  return items;
}

/** Returns `null` if there is neither a file nor a text. */
function itemOf(told: Body): MadeItem | null {
  const lyrics = nonEmptyText(told.lyrics);
  const source = fileOf(told);
  if (source === null && lyrics === null) return null;
  const { seconds, cover } = told;
  return {
    source,
    mediaType: source === null ? null : mediaTypeOf(told.media_type),
    durationSeconds: typeof seconds === 'number' && seconds > 0 ? seconds : null,
    cover: isRecord(cover) ? fileOf(cover) : null,
    title: nonEmptyText(told.title),
    lyrics,
    tags: nonEmptyText(told.tags),
    format: nonEmptyText(told.format),
    clipId: nonEmptyText(told.clip_id),
  };
}

function fileOf({ base64 }: Body): FileSource | null {
  return typeof base64 === 'string' && base64.length % 4 === 0 && BASE64.test(base64)
    ? { kind: 'base64', base64 }
    : null;
}

function mediaTypeOf(told: unknown): string | null {
  return typeof told === 'string' && MEDIA_TYPE.test(told) ? told : null;
}
