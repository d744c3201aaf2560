import { ERROR_CODES, type ErrorCode, type RetryVerdict } from '../../src/domain/failure/error-codes.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import type { ClientFormat } from '../../src/formats/text/format.ts';

const REQUEST_ID = 'req_0198f4d6-7b7e-7000-8000-0242ac120002';

/* Samples of the formats' own error encoders; the page on errors shows nothing else. */

type Json = Readonly<Record<string, unknown>>;

/** Returns the whole body of an error answer. */
export function errorOf(format: ClientFormat, failure: Failure): { readonly error: Json } {
  // Every client format's error body is an object with an `error` object, as its tests check.
  return JSON.parse(format.encodeFailure(failure, REQUEST_ID).body) as { readonly error: Json };
}

/** Returns the word that the format's clients branch on: a type, or Google's name of a status. */
export function typeOf(format: ClientFormat, failure: Failure): string {
  const { error } = errorOf(format, failure);
  return String(error.status ?? error.type);
}

const VERDICTS: readonly RetryVerdict[] = ['same-target', 'other-target', 'never'];

/** Returns whether `retryable` is set in an answer with this code: always, never, or depending on the case. */
export function retryableOf(code: ErrorCode, format: ClientFormat): 'yes' | 'no' | 'where it says so' {
  const verdicts = new Set([ERROR_CODES[code].retry, ...VERDICTS]);
  const answers = new Set(
    [...verdicts].map((retry) => errorOf(format, new Failure(code, { message: '', retry })).error.retryable === true),
  );
  if (answers.size === 2) return 'where it says so';
  return answers.has(true) ? 'yes' : 'no';
}

const BROKEN_OFF = new Failure('upstream_error', {
  kind: 'truncated_stream',
  message: 'The upstream ended the stream before the response was complete.',
});

/** The first event of an upstream's stream, and the request that it answers, by format. */
const OPENINGS: Readonly<Record<string, { readonly body: Json; readonly event: string }>> = {
  'openai-chat': {
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true },
    event:
      'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n',
  },
  'openai-responses': {
    body: { model: 'm', input: 'Hi', stream: true },
    event:
      'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"m","output":[]}}\n\n',
  },
  'anthropic-messages': {
    body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 64, stream: true },
    event:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  },
  gemini: {
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    event: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hel"}]}}]}\r\n\r\n',
  },
};

/** Returns what a client of the format reads last if its answer has begun and the upstream fails. */
export function streamEnd(format: ClientFormat, framing: 'sse' | 'json-array'): string {
  const opening = OPENINGS[format.name];
  if (opening === undefined) throw new Error(`there is no sample of a stream opening for ${format.name}`);
  const parsed = format.parseRequest(new TextEncoder().encode(JSON.stringify(opening.body)), {
    purpose: 'generate',
    model: format.name === 'gemini' ? 'm' : null,
    stream: format.name === 'gemini' ? true : null,
    framing,
  });
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const relay = format.relayStream(parsed, { publicModel: 'm', routing: { json: '{}' }, created: 1, newId: String });
  relay.push(new TextEncoder().encode(opening.event));
  const end =
    relay.encodeFailure?.(BROKEN_OFF) ?? format.encodeStreamFailure(BROKEN_OFF, parsed, { requestId: REQUEST_ID });
  return end.replaceAll('\r', '').trim();
}
