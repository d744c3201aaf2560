import { Failure } from '../../../domain/failure/failure.ts';
import type { JobReport, JobResult, JobTicket, MadeItem, Submission } from '../../../domain/tasks/job.ts';
import { garbage } from '../failure/answer-failure.ts';
import { cleanMessage } from '../failure/clean-message.ts';
import { withParam } from '../failure/upstream-failure.ts';
import { parseJsonBytes } from '../json/json-text.ts';
import { textOrEmpty } from '../json/json-values.ts';
import { objectOf } from '../json/record.ts';
import { contentRefused } from '../media/image-answer.ts';

/* Read what upstreams report about a job, which is not trusted. */

/** Returns an error response as a JSON object; an empty one if it is anything else. */
export function errorBody(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  return objectOf(parseJsonBytes(bytes.subarray(0, 262_144)));
}

/** Returns a report of a job that the upstream has accepted or is working on; `progress` is in whole percent. */
export function working(
  status: 'pending' | 'processing',
  progress: number | null = null,
): Extract<JobReport, { readonly state: 'working' }> {
  return { state: 'working', status, progress };
}

export function failed(failure: Failure): JobReport {
  return { state: 'failed', failure };
}

/**
 * Returns a submission: a job with an id exists whatever else the answer says; if the report is unreadable, the job is polled
 * again.
 */
export function found(ticket: JobTicket, report: JobReport | Failure): Submission {
  return { ticket, report: report instanceof Failure ? working('pending') : report };
}

/** Does the same for the answer to a submission, where a job that has failed immediately counts as refused. */
export function taken(ticket: JobTicket, report: JobReport | Failure = working('pending')): Submission | Failure {
  const job = found(ticket, report);
  return job.report.state === 'failed' ? job.report.failure : job;
}

/** Returns the failure of a submission whose answer has no id to poll. */
export function jobWithoutId(): Failure {
  return garbage('The upstream did not return the id of the job.');
}

/** Returns the failure for an unknown state: the gateway treats the job as still running and polls it again. */
export function unknownState(): Failure {
  return garbage('The upstream reported an unknown job status.');
}

/** Returns the failure of a job that the upstream reports as finished without a file. */
export function jobWithoutFile(): Failure {
  return garbage('The upstream reported a finished job without its file.');
}

/** Returns the report of a finished job. `null` stands for an item without a usable file; a job with no other items is polled again. */
export function made(items: readonly (MadeItem | null)[], facts: Omit<JobResult, 'items'> = {}): JobReport | Failure {
  const usable = items.filter((item) => item !== null);
  return usable.length === 0 ? jobWithoutFile() : { state: 'done', result: { items: usable, ...facts } };
}

/**
 * Implements `BatchedPolls.decode`: returns the jobs of a list in the order of the tickets; `null` for one that is absent or
 * unreadable.
 */
export function reportsByTicket<Told>(
  tickets: readonly JobTicket[],
  told: ReadonlyMap<unknown, Told>,
  read: (job: Told, ticket: JobTicket) => JobReport | Failure,
): readonly (JobReport | null)[] {
  return tickets.map((ticket) => {
    const job = told.get(ticket.id);
    const report = job === undefined ? null : read(job, ticket);
    return report instanceof Failure ? null : report;
  });
}

const REFUSAL_CODE = /moderat|content_?(?:policy|filter)|policy_?violation|safety|sensitive|nsfw/i;
const REFUSAL_WORDS =
  /moderat|content (?:policy|policies|filter|guideline)|usage (?:policy|policies|guideline)|safety (?:filter|system|setting|polic|guideline)|responsible ai|violat|sensitive (?:words|content)|guardrail/i;
/** Bounds the cleaning; the message is cut to a shorter length afterwards. */
const LONGEST_WORDS = 16_384;
/** Addresses are removed: a storage bucket's is useless to a client, and a web address may be signed. */
const ADDRESS = /\b[a-z][a-z\d+.-]{0,20}:\/\/\S+/gi;

/** Returns an upstream's message for the client of a job, cleaned and without addresses; empty if none exists. */
export function jobWords(message: unknown): string {
  return cleanMessage(textOrEmpty(message).slice(0, LONGEST_WORDS).replace(ADDRESS, ''));
}

export interface SaidFailure {
  /** The upstream's message, unchecked. */
  readonly message: unknown;
  readonly code?: unknown;
  /**
   * The known cause, independent of the message: content that a filter rejects, or other input from the client. If unknown, code
   * and message reveal a filter's refusal.
   */
  readonly about?: 'content' | 'input' | null;
}

/** Returns the failure of a job: the client's if it is about the request, otherwise the upstream's. */
export function jobFailed({ message, code, about = null }: SaidFailure): Failure {
  const words = jobWords(message);
  const isRefusal = REFUSAL_CODE.test(textOrEmpty(code).slice(0, 100)) || REFUSAL_WORDS.test(words);
  if (about === 'content' || isRefusal) {
    return contentRefused(sentence(words, 'The provider’s content filter refused the request'));
  }
  if (about === 'input' && words !== '') {
    const message = sentence(words, 'The provider could not use the request');
    return new Failure('invalid_request', { kind: 'job_refused', message });
  }
  return new Failure('upstream_error', {
    kind: 'job_failed',
    message: words === '' ? 'The job failed at the provider for an unknown reason.' : `The job failed: ${words}`,
  });
}

/** A table of a provider's error codes: those about refused content, and those about the client's input. The first match counts. */
export type Causes = readonly (readonly [code: RegExp, about: 'content' | 'input'])[];

/** Looks up a code; `null` for an unknown one. */
export function causeOf(code: unknown, causes: Causes): 'content' | 'input' | null {
  const name = textOrEmpty(code).slice(0, 200);
  return causes.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** Returns the failure for a fault of the channel, such as an empty account or a wrong key. Other channels may not have it. */
export function channelFailure(kind: string, message: string): Failure {
  return new Failure('upstream_error', { kind, message, retry: 'other-target' });
}

/** Completes a message of a single word, such as `Refused.`, which says nothing by itself. */
function sentence(words: string, what: string): string {
  return words === '' || words.includes(' ') ? words : `${what}: ${words}`;
}

const ENDS = {
  job_expired: 'The provider did not finish the job in time.',
  job_canceled: 'The job was cancelled at the provider.',
  job_lost: 'The provider no longer has the job.',
} as const;

/** Returns the failure for a job that the upstream has abandoned, cancelled, or forgotten. */
export function jobEnded(kind: keyof typeof ENDS): Failure {
  return new Failure('upstream_error', { kind, message: ENDS[kind] });
}

/**
 * Patterns that find an upstream's member in its message, each with the client's name for it; `null` if both names are the same.
 */
export type ClientsNames = readonly (readonly [pattern: RegExp, field: string | null])[];

/** Attributes a refusal that is the client's fault to the client's field that the message is about, if it names one. */
export function aboutField(failure: Failure, words: string, names: ClientsNames): Failure {
  if (failure.side !== 'client') return failure;
  for (const [pattern, field] of names) {
    const member = pattern.exec(words)?.[0];
    if (member !== undefined) return withParam(failure, field ?? member);
  }
  return failure;
}

/** Returns a number from 0 to 100 as whole percent; `null` for anything else. */
export function percentOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 100 ? Math.floor(value) : null;
}

/** Returns a length in seconds from a number or its text; `null` for anything else or for more than a day. */
export function secondsOf(value: unknown): number | null {
  const seconds =
    typeof value === 'string' && /^\d{1,5}(?:\.\d{1,6})?s?$/.test(value) ? Number.parseFloat(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= 86_400 ? seconds : null;
}
