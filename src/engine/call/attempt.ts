import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { joinPieces } from '../../formats/shared/relay-pieces.ts';
import type { Target } from '../directory/target.ts';
import type { Upstream, UpstreamAnswer, UpstreamBody, WaitingClient } from '../ports/upstream.ts';
import type { HeldBytes } from './answer-memory.ts';
import type { AnswerPart, AnswerStream, Lane, LaneAnswer, LaneRequest } from './lane.ts';
import { QuietBytes } from './quiet-bytes.ts';

/** Limits of reading an upstream's error body, in bytes and milliseconds. */
const ERROR_BOUNDS = { limitBytes: 256 * 1024, withinMs: 10_000 };
/** A larger whole answer is refused. No model's answer comes near this size. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** The largest lead, which is the data before a stream's first content. Some upstreams repeat the request there, twice. */
const MAX_LEAD_BYTES = 256 * 1024;
const LEAD_PER_REQUEST_BYTE = 3;

interface Answer {
  readonly losses: readonly Loss[];
  readonly routing: RoutingFacts;
}

export interface WholeAnswer extends Answer {
  readonly kind: 'whole';
  readonly answer: LaneAnswer;
}

/** A stream whose first content has arrived, or only its lead if no other target could answer. */
export interface StreamAnswer<S extends AnswerStream = AnswerStream> extends Answer {
  readonly kind: 'stream';
  readonly relay: S;
  readonly body: UpstreamBody;
  /** The bytes that can be sent to the client at once. */
  readonly first: Uint8Array;
  /** To be called at the first content, if that has not come yet. */
  readonly answering: () => void;
  /** Counts the upstream bytes since then that produced no output. */
  readonly quiet: QuietBytes;
}

export interface AttemptInput<S extends AnswerStream = AnswerStream> {
  readonly lane: Lane<S>;
  readonly prepared: LaneRequest;
  readonly stream: boolean;
  readonly target: Target;
  readonly timeouts: CallTimeouts;
  /** No other target could answer, so the lead of a stream need not be held back until content comes. */
  readonly isLast: boolean;
  readonly client: WaitingClient;
  /** The memory that the answer of this call holds. */
  readonly held: HeldBytes;
  /** The `_routing` facts of this attempt. */
  readonly routing: RoutingFacts;
  /** Called with the status and headers of every upstream response, also of an error response. */
  readonly heard: (head: UpstreamAnswer) => void;
  /** Called when the upstream has begun to answer: at the headers of a whole answer, at the first content of a stream. */
  readonly answering: () => void;
}

/**
 * Asks one target once. Nothing has been sent to the client when it returns, so after a failure another target can
 * still be tried.
 */
export async function attempt<S extends AnswerStream>(
  upstream: Upstream,
  input: AttemptInput<S>,
): Promise<WholeAnswer | StreamAnswer<S> | Failure> {
  const { target, stream, prepared, timeouts, client } = input;
  const url = stream ? target.streamUrl : target.url;
  const headers = stream ? target.streamHeaders : target.headers;
  const answer = await send(upstream, { target, url, headers, prepared, timeouts, client });
  if (answer instanceof Failure) return answer;
  input.heard(answer);
  if (answer.status < 200 || answer.status > 299) return refused(target, answer);
  if (prepared.more !== undefined) return await readSeveral(upstream, input, answer, prepared.more);
  // Awaited on purpose: returning a promise from an async function takes three turns of the microtask queue instead of
  // one.
  return await (stream ? openStream(input, answer) : readWhole(input, answer));
}

interface SendInput {
  readonly target: Target;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly prepared: LaneRequest;
  readonly timeouts: CallTimeouts;
  readonly client: WaitingClient;
}

/** Sends the request that the lane made, with the provider's signature. */
function send(upstream: Upstream, input: SendInput): Promise<UpstreamAnswer | Failure> {
  const { target, url, prepared, timeouts, client } = input;
  const { body, method = 'POST' } = prepared;
  // The case of nearly every provider: no headers are added per request, so nothing is copied or awaited.
  if (prepared.headers === null && target.signer === null && body !== null) {
    return upstream.send({ url, method, headers: input.headers, body, timeouts, local: target.local, client });
  }
  return sendChanged(upstream, input);
}

async function sendChanged(upstream: Upstream, input: SendInput): Promise<UpstreamAnswer | Failure> {
  const { target, url, prepared, timeouts, client } = input;
  const { body, method = 'POST' } = prepared;
  let headers: Record<string, string> = { ...input.headers, ...prepared.headers };
  if (body === null) delete headers['content-type'];
  if (target.signer !== null) {
    const signed = await target.signer({ method, url, headers, body });
    if (signed instanceof Failure) return signed;
    target.secrets.sent(signed);
    headers = { ...headers, ...signed };
  }
  return await upstream.send({ url, method, headers, body, timeouts, local: target.local, client });
}

/** Turns an upstream's error response into a failure. */
export async function refused(target: Pick<Target, 'wire'>, answer: UpstreamAnswer): Promise<Failure> {
  const bytes = await answer.body.readAll(ERROR_BOUNDS);
  if (!(bytes instanceof Failure)) return target.wire.decodeFailure(answer.status, answer.headers, bytes);
  // If the error body could not be read, only the status counts, except if the client did not wait for the body.
  if (bytes.side !== 'upstream') return bytes;
  return target.wire.decodeFailure(answer.status, answer.headers, new Uint8Array(0));
}

async function readWhole(input: AttemptInput, answer: UpstreamAnswer): Promise<WholeAnswer | Failure> {
  input.answering();
  const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, hold: input.held.hold });
  if (bytes instanceof Failure) return bytes;
  const { routing } = input;
  const reading = input.lane.answer(bytes, answer.headers);
  const told = reading instanceof Promise ? await reading : reading;
  if (told instanceof Failure) return told;
  const { losses } = input.prepared;
  return { kind: 'whole', answer: told, routing, losses };
}

/**
 * Sends the further requests of a lane, and has it join all answers. The failure of one is the failure of the whole. The
 * answers of all requests together are held against the memory of the call.
 */
async function readSeveral(
  upstream: Upstream,
  input: AttemptInput,
  first: UpstreamAnswer,
  more: readonly Uint8Array<ArrayBuffer>[],
): Promise<WholeAnswer | Failure> {
  const { target, prepared, lane, timeouts, client, held, routing } = input;
  if (lane.answers === undefined) throw new Error('a lane that sends several requests cannot join their answers');
  input.answering();
  const parts: AnswerPart[] = [];
  let answer = first;
  for (let sent = 0; ; sent++) {
    const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, hold: held.hold });
    if (bytes instanceof Failure) return bytes;
    parts.push({ bytes, headers: answer.headers });
    const body = more[sent];
    if (body === undefined) break;
    const { url, headers } = target;
    const next = await send(upstream, { target, url, headers, prepared: { ...prepared, body }, timeouts, client });
    if (next instanceof Failure) return next;
    input.heard(next);
    if (next.status < 200 || next.status > 299) return await refused(target, next);
    answer = next;
  }
  const told = await lane.answers(parts);
  return told instanceof Failure ? told : { kind: 'whole', answer: told, routing, losses: prepared.losses };
}

async function openStream<S extends AnswerStream>(
  input: AttemptInput<S>,
  answer: UpstreamAnswer,
): Promise<StreamAnswer<S> | Failure> {
  if (isJson(answer.headers)) return await streamOfWhole(input, answer);
  const { routing } = input;
  const { losses } = input.prepared;
  const relay = input.lane.stream?.();
  if (relay === undefined) throw new Error('a stream is asked for on a lane that has none');
  const lead: Uint8Array[] = [];
  let leadBytes = 0;
  // A longer lead is sent to the client as it comes. Holding it to keep other targets possible is not worth the memory.
  const mostLeadBytes = Math.max(MAX_LEAD_BYTES, (input.prepared.body?.length ?? 0) * LEAD_PER_REQUEST_BYTE);
  const quiet = new QuietBytes(input.held);
  const isEnough = () => leadBytes > (input.isLast && relay.opened ? 0 : mostLeadBytes);
  while (!relay.started && !relay.finished && !isEnough()) {
    const piece = await answer.body.read();
    if (piece instanceof Failure) return piece;
    const out = piece === null ? relay.end() : relay.push(piece);
    if (relay.failure) {
      answer.body.cancel();
      // A stream with HTTP 200 that begins with an error: nothing has been sent, so another target may still answer.
      if (!relay.started) return relay.failure;
    }
    if (out.length > 0) {
      lead.push(out);
      leadBytes += out.length;
    }
    if (piece === null) break;
    const tooMuch = relay.started ? null : quiet.heard(piece.length);
    if (tooMuch !== null) {
      answer.body.cancel();
      return tooMuch;
    }
  }
  quiet.said();
  const { answering } = input;
  if (relay.started || relay.finished) answering();
  return {
    kind: 'stream',
    relay,
    body: answer.body,
    first: joinPieces(lead),
    answering,
    quiet,
    routing,
    losses,
  };
}

/** Handles upstreams that answer a streaming request with one whole JSON answer. */
async function streamOfWhole<S extends AnswerStream>(
  input: AttemptInput<S>,
  answer: UpstreamAnswer,
): Promise<StreamAnswer<S> | Failure> {
  const { routing, lane, answering } = input;
  answering();
  const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, hold: input.held.hold });
  if (bytes instanceof Failure) return bytes;
  const { losses } = input.prepared;
  const streamed = lane.streamOfWhole?.(bytes);
  if (streamed === undefined) throw new Error('a stream is asked for on a lane that has none');
  if (streamed instanceof Failure) return streamed;
  const { relay, bytes: first } = streamed;
  const quiet = new QuietBytes(input.held);
  return { kind: 'stream', relay, body: endedBody, first, answering, quiet, routing, losses };
}

/** The body of an answer that has been read to its end. */
export const endedBody: UpstreamBody = {
  read: async () => null,
  readAll: async () => new Uint8Array(0),
  cancel: () => undefined,
};

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.includes('application/json') ?? false;
}
