import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { bodyNoAnswer, bodyNotJson, garbage } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { MadeFile } from '../../speech/wire.ts';
import type { WireAnswer } from '../../wire.ts';

/** Returns the file that a job results in: `{audio: {url, content_type}}`, or with some models `{audio_url: {url}}`. */
export function fileOf({ bytes }: Pick<WireAnswer, 'bytes'>): MadeFile | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (body === undefined) return bodyNotJson();
  if (!isRecord(body)) return bodyNoAnswer();
  const failure = failureInAnswer(body.error);
  if (failure !== null) return failure;
  const file = body.audio ?? body.audio_url;
  const url = nonEmptyText(isRecord(file) ? file.url : file);
  if (url === null) return garbage('The upstream returned no URL for the audio.');
  return { url, mediaType: isRecord(file) ? nonEmptyText(file.content_type) : null };
}

/** The client's names for the members in fal's errors. */
const FIELDS: Readonly<Record<string, string>> = {
  text: 'input',
  prompt: 'input',
  input: 'input',
  voice: 'voice',
  voice_id: 'voice',
  speed: 'speed',
  language_code: 'language',
  language_boost: 'language',
};

/** Decodes fal's errors, each of which names a member: `detail: [{loc: ["body", "prompt"], msg, type}]`. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  const name = failure.details.param?.split('.').at(-1) ?? '';
  const param = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  return param === undefined ? failure : new Failure(failure.code, { ...failure.details, param });
}
