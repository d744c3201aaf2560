import { Failure } from '../../domain/failure/failure.ts';
import type { FileSource, JobReport, MadeItem } from '../../domain/tasks/job.ts';
import { garbage } from './answer-failure.ts';
import { cleanMessage } from './clean-message.ts';
import { contentRefused, isWebAddress } from './image-answer.ts';
import { secondsOf } from './job-answer.ts';

/* What upstreams tell of a job that makes one video, read with care. */

const LONGEST_WORDS = 16_384;
const LONGEST_SENTENCE = 500;
/** Ids of jobs and files become a part of an address: no slash, and no dot at the beginning. */
const ID = /^[A-Za-z0-9_-][\w.:-]{0,127}$/;

/** An id that may stand in an address; some upstreams write theirs as a number. `null` for all else. */
export function toldId(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === 'string' && ID.test(value) ? value : null;
}

/** The answer to a new job has no id that could be asked for. */
export function jobWithoutId(): Failure {
  return garbage('The upstream did not say the id of the job.');
}

/** The job goes on for the gateway, and is asked for again. */
export function unknownState(): Failure {
  return garbage('The upstream reported a state of the job that is not known.');
}

export function fileAt(url: unknown): FileSource | null {
  return typeof url === 'string' && isWebAddress(url) ? { kind: 'url', url } : null;
}

/** By the end of the path; a video at an address that does not say it is an MP4. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  mov: 'video/quicktime',
  webm: 'video/webm',
  zip: 'application/zip',
  wav: 'audio/wav',
};

/** The video at an address; `null` where there is none. `seconds` is its length as the upstream says it. */
export function videoAt(url: unknown, seconds: unknown = null): MadeItem | null {
  const source = fileAt(url);
  if (source === null || source.kind !== 'url') return null;
  const ending = /\.(\w{3,4})$/.exec(new URL(source.url).pathname)?.[1]?.toLowerCase() ?? '';
  const mediaType = (Object.hasOwn(MEDIA_TYPES, ending) ? MEDIA_TYPES[ending] : undefined) ?? 'video/mp4';
  return { source, mediaType, durationSeconds: secondsOf(seconds) };
}

export function working(status: 'pending' | 'processing', progress: number | null = null): JobReport {
  return { state: 'working', status, progress };
}

export function failed(failure: Failure): JobReport {
  return { state: 'failed', failure };
}

export interface ToldFailure {
  /** The upstream's words, unchecked. */
  readonly words: unknown;
  /** Whose fault it is: that of a filter, of what was asked for, or of the upstream itself. */
  readonly about: 'content' | 'input' | 'upstream';
}

/** Why a job has failed, without addresses and secrets. */
export function jobFailure({ words: said, about }: ToldFailure): Failure {
  const words = wordsOf(said);
  if (about === 'content') {
    const why = 'The provider’s content filter refused the request';
    return contentRefused(words === '' ? `${why}.` : `${why}: ${words}`);
  }
  const why = about === 'input' ? 'The provider could not use the request' : 'The job failed at the provider';
  const message = words === '' ? `${why} and did not say why.` : `${why}: ${words}`;
  if (about === 'input') return new Failure('invalid_request', { kind: 'job_refused', message });
  return new Failure('upstream_error', { kind: 'job_failed', message });
}

function wordsOf(said: unknown): string {
  if (typeof said !== 'string') return '';
  const words = cleanMessage(said.slice(0, LONGEST_WORDS).replace(/\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi, ''));
  return words.length <= LONGEST_SENTENCE ? words : `${words.slice(0, LONGEST_SENTENCE - 1).toWellFormed()}…`;
}

/** The upstream has stopped the job, or does not know it any more. */
export function jobGone(kind: 'job_canceled' | 'job_lost'): Failure {
  const message = {
    job_canceled: 'The job was cancelled at the provider.',
    job_lost: 'The provider does not know the job any more.',
  }[kind];
  return new Failure('upstream_error', { kind, message });
}
