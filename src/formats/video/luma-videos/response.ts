import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  failed,
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

type Members = Readonly<Record<string, unknown>>;

const LONGEST_MODEL = 100;

/** Decodes a `Generation`. One with an id was accepted, whatever its state. */
export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.id);
  if (id === null) return jobWithoutId();
  return taken({ id }, reportOf(body));
}

export function poll({ id = '' }: JobTicket): PollRequest {
  return { url: `/generations/${encodeURIComponent(id)}` };
}

export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  const body = jobObject(bytes);
  return body instanceof Failure ? body : reportOf(body);
}

function reportOf({ state, assets, model, failure_reason: reason }: Members): JobReport | Failure {
  switch (state) {
    case 'queued':
      return working('pending');
    case 'dreaming':
      return working('processing');
    case 'failed':
      return failed(failureOfJob(reason));
    case 'completed': {
      const video = isRecord(assets) ? madeVideo({ url: assets.video, cover: assets.image }) : null;
      if (video === null) return jobWithoutFile();
      const name = nonEmptyText(model);
      return { state: 'done', result: { items: [video], model: (name?.length ?? 0) > LONGEST_MODEL ? null : name } };
    }
    default:
      return unknownState();
  }
}

/** Messages of Luma's filters. */
const FLAGGED =
  /\bmoderat|\bcontent (?:policy|filter|safety)\b|\binappropriate\b|\bviolat|\bnot allowed\b|\bnsfw\b|\bblacklisted\b/i;
const NO_CREDITS = /^insufficient credits\b/i;

/** Matches the status before a message, as in `400: Content moderated`, which is useless to a client. */
const STATUS_BEFORE = /^\d{3}: */;

function failureOfJob(reason: unknown): Failure {
  const message = textOrEmpty(reason).replace(STATUS_BEFORE, '');
  return jobFailed({ message, about: FLAGGED.test(message.slice(0, 2_000)) ? 'content' : null });
}

/** The client's names for Luma's members. */
const FIELDS: ClientsNames = [
  [/\bframe0\b/, 'image_url'],
  [/\bframe1\b/, 'end_image_url'],
];

/** Decodes `{detail}`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const usual = decodeUsual(status, headers, bytes);
  const body: unknown = parseJsonBytes(bytes.subarray(0, 262_144));
  const said = isRecord(body) ? cleanMessage(textOrEmpty(body.detail)) : '';
  if (NO_CREDITS.test(said)) {
    const message = 'The channel’s account at the provider has no credits left.';
    return new Failure('upstream_error', { kind: 'upstream_quota', message, retry: 'other-target' });
  }
  if (usual.code !== 'invalid_request') return usual;
  if (FLAGGED.test(said)) return contentRefused(said);
  return aboutField(usual, usual.details.param ?? said, FIELDS);
}
