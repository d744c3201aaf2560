import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { textOrEmpty } from '../../shared/json/json-values.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import { aboutField, type ClientsNames, channelFailure, errorBody } from '../../shared/tasks/job-answer.ts';
import type { WireAnswer } from '../../wire.ts';

type Json = Readonly<Record<string, unknown>>;

const ofChannel = (kind: string, what: string) => (said: string) =>
  channelFailure(kind, `The provider ${what}${said === '' ? '.' : `: ${said}`}`);

/** A failed authentication, or an address that is not on the account's allow-list. */
const NO_AUTH = ofChannel('upstream_auth', 'refused the credentials of the channel');
/** A token that is not valid yet or has expired. */
const EXPIRED = ofChannel('upstream_auth_expired', 'refused the token of the channel: the clocks differ');
/** Sent with a 429, although waiting does not help. */
const NO_MONEY = ofChannel('upstream_quota', 'refused: the account of the channel has no credit left');
const NO_MODEL = ofChannel('http_404', 'does not have the model, or does not allow the channel to use it');

/** The meaning of Kling's codes: a failure, or the HTTP status that Kling documents for the code. It sends them with a 200, too. */
const REFUSALS = new Map<unknown, number | ((said: string) => Failure)>([
  ...[1000, 1001, 1002, 1304].map((code) => [code, NO_AUTH] as const),
  ...[1003, 1004].map((code) => [code, EXPIRED] as const),
  ...[1100, 1101, 1102].map((code) => [code, NO_MONEY] as const),
  ...[1103, 1202, 1203].map((code) => [code, NO_MODEL] as const),
  ...[1300, 1301].map((code) => [code, contentRefused] as const),
  ...[1200, 1201].map((code) => [code, 400] as const),
  ...[1302, 1303].map((code) => [code, 429] as const),
  ...([
    [5000, 500],
    [5001, 503],
    [5002, 504],
  ] as const),
]);

/** Returns `null` for an undocumented code. */
function failureOf({ code, message }: Json, { headers, bytes }: WireAnswer): Failure | null {
  const meaning = REFUSALS.get(code);
  if (typeof meaning === 'number') return decodeUsual(meaning, headers, bytes);
  return meaning?.(cleanMessage(textOrEmpty(message))) ?? null;
}

/** Returns the error that an answer's envelope reports, which is possible with any HTTP status; `null` if it reports none. */
export function errorIn(body: Json, answer: WireAnswer): Failure | null {
  const { code, message } = body;
  if (code === undefined || code === null || code === 0 || code === '0') return null;
  const words = cleanMessage(textOrEmpty(message));
  const unknown = words === '' ? 'The provider failed without giving a reason.' : `The provider failed: ${words}`;
  return failureOf(body, answer) ?? new Failure('upstream_error', { kind: 'error_in_answer', message: unknown });
}

/** The client's names for Kling's members. */
const FIELDS: ClientsNames = [
  [/\bimage_tail\b/, 'end_image_url'],
  [/\bimage_list\b/, 'reference_image_urls'],
  [/\bimage\b/, 'image_url'],
  [/\bmodel_name\b/, 'model'],
  [/\bsound\b/, 'audio'],
  [/\b(?:negative_prompt|aspect_ratio|duration|prompt)\b/, null],
];

export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const body = errorBody(bytes);
  const failure = failureOf(body, { headers, bytes }) ?? decodeUsual(status, headers, bytes);
  if (failure.details.param !== undefined) return failure;
  return aboutField(failure, textOrEmpty(body.message).slice(0, 500), FIELDS);
}
