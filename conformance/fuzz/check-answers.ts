import { partsOfResponse } from '../../src/domain/exchange/response-parts.ts';
import type { StreamPart } from '../../src/domain/exchange/stream-part.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { StateMemory } from '../../src/engine/operations/text/state-memory.ts';
import { TranslatedStream } from '../../src/engine/operations/text/translated-stream.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import type { AnswerContext, ParsedRequest } from '../../src/formats/text/client-request.ts';
import type { ClientFormat, DecodeSource, StreamDecoder, StreamRelay } from '../../src/formats/text/format.ts';
import { MemoryConversationState } from '../../src/stores/in-process/conversation-state.ts';
import { documentsMissing, type Format, judgeAnswer, judgeError, judgeStream } from '../judges/index.ts';
import { serverSentEvents } from '../readers/index.ts';
import { isObject, parseJson } from '../shared/json.ts';
import { pieces } from './mutate-bytes.ts';
import { brokenInvariants } from './part-invariants.ts';
import type { Random } from './random.ts';

/** Without the published documents, each response is still checked for complete JSON and the gateway's own rules. */
const hasDocuments = documentsMissing() === undefined;

/** Problems that are allowed in a response to which the upstream's input was random. */
const NOT_HELD_AGAINST: readonly RegExp[] = [
  // Texts are carried unchanged: nothing checks whether they are URLs, or names within one provider's length limit.
  /must match (?:format|pattern)|must NOT have (?:fewer|more) than \d+ characters/,
  // The SDK's chunks have custom tool calls, but the document's do not yet (github.com/openai/openai-openapi, issue 576).
  /\/delta\/tool_calls\/\d+\/type: must be one of "function"$/,
];

/** A stream that failed may lack its regular end, and the end of a call, which no client should run. */
const CUT_OFF = /^stream:|\(response\.failed\): comes before the item fc_/;

/** A client that waits for a response. */
export interface Waiting {
  readonly format: ClientFormat;
  readonly name: Format;
  readonly whole: ParsedRequest;
  readonly streaming: ParsedRequest;
  readonly context: AnswerContext;
}

const ROUTING =
  '{"channel":{"id":"fuzz","name":"Fuzz","provider":"fuzz","channelType":"PLATFORM"},"cached":false,"retryCount":0}';
const PATCH = { publicModel: 'public/model', routing: { json: ROUTING }, created: 1, newId: String };
/** The most bytes that a client gets per upstream byte. Responses streams contain each text four times and each tool three times. */
const MAX_GROWTH = 60;
const MEMORY = new StateMemory(new MemoryConversationState(), 4 * 1024 * 1024);

/** Returns a client with this request; `null` if the format refuses it. */
export function waitingClient(name: Format, body: unknown, framing: 'sse' | 'json-array' = 'sse'): Waiting | null {
  const format = formatNamed(name);
  const parsed = (stream: boolean) => {
    const call = {
      purpose: 'generate',
      model: name === 'gemini' ? 'public/model' : null,
      stream: name === 'gemini' ? stream : null,
      framing,
    } as const;
    const own = name === 'gemini' || !isObject(body) ? body : { ...body, stream };
    return format.parseRequest(new TextEncoder().encode(JSON.stringify(own)), call);
  };
  const whole = parsed(false);
  const streaming = parsed(true);
  if (whole instanceof Failure || streaming instanceof Failure) return null;
  const request = format.decodeRequest(whole);
  if (request instanceof Failure) return null;
  let ids = 0;
  const newId = (prefix: string) => `${prefix}${String(++ids).padStart(24, '0')}`;
  return {
    format,
    name,
    whole,
    streaming,
    context: { ...PATCH, parsed: whole, request, created: 1_760_000_000, estimatedPromptTokens: () => 8, newId },
  };
}

function formatNamed(name: Format): ClientFormat {
  const format = clientFormats.get(name);
  if (format === undefined) throw new Error(`there is no client format ${name}`);
  return format;
}

/** Returns the problems with a whole response of `upstream` for the client. The caller must catch exceptions. */
export function problemsOfAnswer(
  upstream: string,
  bytes: Uint8Array,
  source: DecodeSource,
  client: Waiting,
): readonly string[] {
  const response = upstreamFormats.get(upstream)?.decodeAnswer(bytes, source);
  if (response === undefined) return [`there is no format ${upstream}`];
  if (response instanceof Failure) return upstreamsFault(response);
  const problems = brokenInvariants(partsOfResponse(response), true).map((one) => `as parts: ${one}`);
  MEMORY.rememberAnswer('account', client.context.request, response);
  const text = client.format.encodeAnswer(response, client.context);
  const body = parseJson(text);
  if (body === undefined) return [...problems, 'the response is not JSON'];
  problems.push(...judged(upstream, client, () => judgeAnswer(client.name, body, 'translated')));
  problems.push(...growth(text.length, bytes.length + client.whole.bytes.length));
  // The same response as a stream.
  const { encoder } = streamTo(client);
  const events = partsOfResponse(response).map((part) => encoder.encode(part));
  return [
    ...problems,
    ...problemsOfFrames(upstream, client, events.join(''), false).map((one) => `as a stream: ${one}`),
  ];
}

/** Returns the problems with a stream of `upstream`, read in random pieces. */
export function problemsOfStream(
  upstream: string,
  bytes: Uint8Array,
  source: DecodeSource,
  client: Waiting,
  random: Random,
): readonly string[] {
  const format = upstreamFormats.get(upstream);
  if (format === undefined) return [`there is no format ${upstream}`];
  const { encoder, streaming } = streamTo(client);
  const parts: StreamPart[] = [];
  const decoder = recorded(format.decodeStream(source), parts);
  const relay = new TranslatedStream(decoder, encoder, MEMORY.observer('account', client.context.request));
  const text = drained(relay, bytes, random);
  const problems = [...brokenInvariants(parts, true), ...endOf(relay)];
  const { failure } = relay;
  const last =
    failure === null ? '' : (relay.encodeFailure(failure) ?? client.format.encodeStreamFailure(failure, streaming));
  problems.push(...growth(text.length, bytes.length + 4 * client.whole.bytes.length));
  // Before the first byte is sent, another upstream is tried, or the client gets the failure as its whole response.
  if (failure !== null && !relay.started) return [...problems, ...problemsOfFailure(client, failure)];
  return [...problems, ...problemsOfFrames(upstream, client, text + last, failure !== null)];
}

/** Returns the problems with bytes that are relayed unchanged in the client's own format. */
export function problemsOfRelay(
  bytes: Uint8Array,
  stream: boolean,
  client: Waiting,
  random: Random,
): readonly string[] {
  const { format, streaming } = client;
  if (stream) {
    const relay = format.relayStream(streaming, PATCH);
    const text = drained(relay, bytes, random);
    if (relay.failure !== null && relay.encodeFailure) relay.encodeFailure(relay.failure);
    return [...endOf(relay), ...growth(text.length, bytes.length)];
  }
  const relayed = format.relayAnswer(bytes, PATCH);
  if (relayed instanceof Failure) return upstreamsFault(relayed);
  const isJson = parseJson(new TextDecoder().decode(bytes)) !== undefined;
  const stillJson = parseJson(new TextDecoder().decode(relayed.bytes)) !== undefined;
  return isJson && !stillJson ? ['the relayed response is no longer JSON'] : [];
}

function streamTo(client: Waiting) {
  const { streaming, context, format } = client;
  return { streaming, encoder: format.encodeStream({ ...context, parsed: streaming }) };
}

function recorded(decoder: StreamDecoder, into: StreamPart[]): StreamDecoder {
  const keep = (parts: readonly StreamPart[]) => {
    into.push(...parts);
    return parts;
  };
  return { push: (piece) => keep(decoder.push(piece)), end: () => keep(decoder.end()) };
}

/** Reads like the engine: to the end of the upstream's bytes, or to a failure. */
function drained(relay: StreamRelay, bytes: Uint8Array, random: Random): string {
  const out: Uint8Array[] = [];
  for (const piece of pieces(bytes, random)) {
    out.push(relay.push(piece));
    if (relay.failure) return decodedText(out);
  }
  out.push(relay.end());
  if (relay.finished) out.push(relay.lastFrames?.() ?? new Uint8Array(0));
  return decodedText(out);
}

function decodedText(out: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(out));
}

function endOf({ failure, finished }: StreamRelay): readonly string[] {
  if (failure !== null) return upstreamsFault(failure);
  return finished ? [] : ['the stream has neither finished nor failed'];
}

/** Input from an upstream must never cause a failure of the gateway. */
function upstreamsFault(failure: Failure): readonly string[] {
  const problems = failure.message.trim() === '' ? ['the failure has no message'] : [];
  return failure.side === 'gateway' ? [...problems, `the failure is ${failure.code}`] : problems;
}

function problemsOfFailure({ format, name }: Waiting, failure: Failure): readonly string[] {
  const body = parseJson(format.encodeFailure(failure).body);
  if (body === undefined) return ['the failure is not JSON'];
  return (hasDocuments ? judgeError(name, body) : []).map((one) => `failure: ${one}`);
}

function problemsOfFrames(upstream: string, client: Waiting, text: string, failed: boolean): readonly string[] {
  const { name, streaming } = client;
  if (streaming.call.framing === 'json-array') {
    const chunks = parseJson(text);
    return Array.isArray(chunks) ? [] : ['the streamed array is not JSON'];
  }
  const events = serverSentEvents(text);
  const broken = events.filter(({ data }) => data !== '[DONE]' && parseJson(data) === undefined);
  if (broken.length > 0) return ['an event is not JSON'];
  const problems = judged(upstream, client, () => judgeStream(name, events, 'translated'));
  return failed ? problems.filter((one) => !CUT_OFF.test(one)) : problems;
}

/** Blocks are relayed unchanged to their own format, even if they are invalid. */
function judged(upstream: string, { name }: Waiting, judge: () => readonly string[]): readonly string[] {
  if (upstream === name || !hasDocuments) return [];
  return judge().filter((one) => !NOT_HELD_AGAINST.some((rule) => rule.test(one)));
}

function growth(out: number, from: number): readonly string[] {
  return out > 200_000 + MAX_GROWTH * from ? [`${from} bytes became ${out} characters`] : [];
}
