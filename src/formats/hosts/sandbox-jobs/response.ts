import { Failure } from '../../../domain/failure/failure.ts';
import type { FileSource, MadeItem } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer, garbage } from '../../shared/failure/answer-failure.ts';
import { nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import { jobFailed, made, percentOf } from '../../shared/tasks/job-answer.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';

const ID = /^job_[\w-]{1,6000}$/;
const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const MOST_ITEMS = 10;

type Body = Readonly<Record<string, unknown>>;

export const SANDBOX_JOBS = jobs({
  id: 'id',
  readId: (id) => (typeof id === 'string' && ID.test(id) ? id : null),
  isToldAtOnce: true,
  pathOf: (id) => `/jobs/${id}`,
  status: 'status',
  states: { queued: 'pending', working: 'processing', done: 'done', failed: 'failed', refused: 'failed' },
  progressOf: ({ progress }) => percentOf(progress),
  resultOf(job) {
    const items = itemsOf(job.items);
    return items instanceof Failure ? items : made(items, { resolution: nonEmptyText(job.resolution) });
  },
  failureOf: ({ status, error }) =>
    status === 'refused' ? contentRefused(textOrEmpty(error)) : jobFailed({ message: error }),
});

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
