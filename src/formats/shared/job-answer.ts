import { Failure } from '../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from './answer-failure.ts';
import { cleanMessage } from './clean-message.ts';
import { contentRefused } from './image-answer.ts';
import { parseJsonBytes } from './json-text.ts';
import { textOrEmpty } from './json-values.ts';
import { isRecord } from './record.ts';

/* What upstreams say of a job, read with care. */

/** The answer as a JSON object. An `error` in it is the job's, and is left to the wire. */
export function jobObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (body === undefined) return bodyNotJson();
  return isRecord(body) ? body : bodyNoAnswer();
}

const REFUSAL_CODE = /moderat|content_?(?:policy|filter)|policy_?violation|safety|sensitive|nsfw/i;
const REFUSAL_WORDS =
  /moderat|content (?:policy|policies|filter|guideline)|usage (?:policy|policies|guideline)|safety (?:filter|system|setting|polic|guideline)|responsible ai|violat|sensitive (?:words|content)|guardrail/i;
/** Nobody reads more. */
const LONGEST_WORDS = 16_384;
/** A bucket's address is of no use to a client, and a web address may be signed. */
const ADDRESS = /\b[a-z][a-z\d+.-]{0,20}:\/\/\S+/gi;

/** An upstream's words for the client of a job, cleaned, and without addresses; empty where it says none. */
export function jobWords(message: unknown): string {
  return cleanMessage(textOrEmpty(message).slice(0, LONGEST_WORDS).replace(ADDRESS, ''));
}

export interface SaidFailure {
  readonly message: unknown;
  readonly code?: unknown;
  /** It is known to be about what the client asked for, whatever the words are. */
  readonly isAboutInput?: boolean;
}

/** A job that has failed at the upstream: a filter's refusal is the client's to change, all else is the upstream's. */
export function jobFailed({ message, code, isAboutInput = false }: SaidFailure): Failure {
  const words = jobWords(message);
  if (REFUSAL_CODE.test(textOrEmpty(code).slice(0, 100)) || REFUSAL_WORDS.test(words)) return contentRefused(words);
  if (isAboutInput && words !== '') return new Failure('invalid_request', { kind: 'job_refused', message: words });
  return new Failure('upstream_error', {
    kind: 'job_failed',
    message: words === '' ? 'The job failed at the provider, which did not say why.' : `The job failed: ${words}`,
  });
}

/** A job that the upstream has given up. */
export function jobExpired(): Failure {
  const message = 'The provider did not finish the job in time.';
  return new Failure('upstream_error', { kind: 'job_expired', message });
}

/** A share in whole percent; `null` for what is none. */
export function percentOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 100 ? Math.round(value) : null;
}

/** A length in seconds, as a number or as its text; `null` for what is none. Lengths past a day are none. */
export function secondsOf(value: unknown): number | null {
  const seconds =
    typeof value === 'string' && /^\d{1,5}(?:\.\d{1,6})?s?$/.test(value) ? Number.parseFloat(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= 86_400 ? seconds : null;
}
