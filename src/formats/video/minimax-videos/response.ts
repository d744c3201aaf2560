import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord, objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  failed,
  jobFailed,
  jobWithoutFile,
  made,
  unknownState,
} from '../../shared/tasks/job-answer.ts';
import { jobId, madeVideo } from '../../shared/tasks/job-file.ts';
import { errorMember, type JobTables, jobReport, type StatusTables } from '../../shared/tasks/job-tables.ts';
import type { WireAnswer, WireTarget } from '../../wire.ts';
import { minimaxModel } from './models.ts';
import { SECOND_API } from './request.ts';

/**
 * HTTP statuses for the `base_resp.status_code` of an answer with status 200 (platform.minimax.io, "Error codes"). Others are
 * about the provider's own machines.
 */
const STATUSES: Readonly<Record<string, number>> = {
  '1002': 429,
  '1004': 401,
  '1008': 402,
  '1039': 429,
  '1041': 429,
  '1042': 400,
  '1043': 400,
  '1044': 400,
  '2013': 400,
  '2045': 429,
  '2049': 401,
  '2056': 429,
};
const SENSITIVE: ReadonlySet<string> = new Set(['1026', '1027']);

type Json = Readonly<Record<string, unknown>>;

interface ToldError {
  readonly code: string;
  readonly words: string;
}

/** Returns `null` if the answer reports no error. */
function errorIn({ base_resp: told }: Json): ToldError | null {
  const { status_code: code, status_msg: words } = objectOf(told);
  if (code === 0 || (typeof code !== 'number' && typeof code !== 'string')) return null;
  return { code: String(code).slice(0, 20), words: nonEmptyText(words) ?? '' };
}

function failureOf({ code, words }: ToldError): Failure {
  if (SENSITIVE.has(code)) return jobFailed({ message: words, about: 'content' });
  const message = words === '' ? `The provider refused with code ${code}.` : words;
  const body = new TextEncoder().encode(JSON.stringify({ error: { message } }));
  return decodeUsual(entryOf(STATUSES, code) ?? 500, new Headers(), body);
}

/** Returns the failure of a job that was accepted; an error in its input is then the client's. */
function jobFailure({ code, words }: ToldError): Failure {
  const about = entryOf(STATUSES, code) === 400 ? 'input' : null;
  return jobFailed({ message: words, about: SENSITIVE.has(code) ? 'content' : about });
}

/** Reads an id, which is a number or its text here. */
export function jobNumber(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return jobId(value);
}

/** The jobs of both APIs, whose statuses differ. */
export const JOBS: JobTables = {
  jobIn(body) {
    const error = errorIn(body);
    return error === null ? body : failureOf(error);
  },
  id: 'task_id',
  readId: jobNumber,
  refusalIn: errorMember,
  ticketOf: (_, { upstreamModel }) => ({ api: minimaxModel(upstreamModel).api }),
  /** Polls the job first, and then the file that it has made. */
  pathOf(id, { api, file }) {
    if (api === '2') return `${SECOND_API}/query/video_generation/${id}`;
    if (file !== undefined) return `/files/retrieve?file_id=${encodeURIComponent(file)}`;
    return `/query/video_generation?task_id=${id}`;
  },
  status: 'status',
  states: {
    Preparing: 'pending',
    Queueing: 'pending',
    Processing: 'processing',
    Success: 'done',
    Fail: 'failed',
  },
  resultOf({ file_id: fileId }, ticket) {
    const file = jobNumber(fileId);
    if (file === null) return jobWithoutFile();
    return { state: 'working', status: 'processing', progress: 100, ticket: { ...ticket, file }, afterMs: 0 };
  },
  failureOf(job) {
    const error = errorIn(job);
    return error === null ? jobFailed({ message: null }) : jobFailure(error);
  },
};

const SECOND_JOBS: StatusTables = {
  status: 'status',
  states: {
    queued: 'pending',
    running: 'processing',
    succeeded: 'done',
    failed: 'failed',
    cancelled: 'canceled',
    expired: 'expired',
  },
  resultOf({ content, resolution, duration, model }) {
    return made([madeVideo({ url: objectOf(content).url, seconds: duration })], {
      resolution: nonEmptyText(resolution)?.slice(0, 20).toLowerCase() ?? null,
      model: nonEmptyText(model),
    });
  },
  failureOf({ error }) {
    const { code = null, message = null } = objectOf(error);
    return jobFailure({ code: String(code).slice(0, 20), words: nonEmptyText(message) ?? '' });
  },
};

/** Reads a job of the second API. */
export function secondJob(task: unknown, ticket: JobTicket, target: WireTarget): JobReport | Failure {
  return isRecord(task) ? jobReport(SECOND_JOBS, task, ticket, target) : unknownState();
}

export function decodePoll({ bytes }: WireAnswer, ticket: JobTicket, target: WireTarget): JobReport | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  if (ticket.api === '2') return secondJob(body.task, ticket, target);
  const error = body.status === 'Fail' ? null : errorIn(body);
  if (error !== null) return SENSITIVE.has(error.code) ? failed(failureOf(error)) : failureOf(error);
  if (ticket.file === undefined || body.status === 'Fail') return jobReport(JOBS, body, ticket, target);
  const item = madeVideo({ url: objectOf(body.file).download_url });
  return item === null ? garbage('The upstream returned no URL for its file.') : made([item]);
}

/** The client's names for members of the provider's requests. */
const FIELDS: ClientsNames = [
  [/\bfirst_frame/, 'image_url'],
  [/\blast_frame/, 'end_image_url'],
  [/\b(?:subject_reference|reference_image)/, 'reference_image_urls'],
  [/\b(?:duration|resolution|prompt)\b/, null],
];

/** Decodes errors; the second API puts the code in brackets at the end of the message: `… (1026)`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const told = errorIn(objectOf(parseJsonBytes(bytes)));
  const failure = told === null ? decodeUsual(status, headers, bytes) : failureOf(told);
  const code = told?.code ?? /\((\d{4})\)\s*$/.exec(failure.message)?.[1] ?? '';
  if (SENSITIVE.has(code)) return contentRefused(failure.message);
  return failure.details.param === undefined ? aboutField(failure, failure.message, FIELDS) : failure;
}
