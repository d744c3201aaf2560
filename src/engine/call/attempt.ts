import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import { joinPieces } from '../../formats/shared/stream/relay-pieces.ts';
import type { Target } from '../directory/target.ts';
import type { UpstreamAnswer, UpstreamBody, WaitingClient } from '../ports/upstream.ts';
import { type AttemptTools, MAX_ANSWER_BYTES, readParts } from './answer-parts.ts';
import type { KnownStream, Lane, LaneRequest, ResponseStream, WholeResponse } from './lane.ts';
import type { Outcome } from './outcome.ts';
import { type BufferedBytes, UnproductiveBytes } from './response-memory.ts';
import { Rounds } from './rounds.ts';
import type { RunningAttempt } from './running-attempt.ts';
import { refused, send } from './send.ts';

/** The largest lead, which is the data before a stream's first content. Some upstreams repeat the request twice there. */
const MAX_LEAD_BYTES = 256 * 1024;
const LEAD_PER_REQUEST_BYTE = 3;

interface ResultFacts {
  readonly losses: readonly Loss[];
  readonly routing: RoutingFacts;
}

export interface WholeResult extends ResultFacts {
  readonly kind: 'whole';
  readonly answer: WholeResponse;
}

/** A stream whose first content has arrived, or only its lead if no other target could answer. */
export interface StreamResult<S extends ResponseStream = ResponseStream> extends ResultFacts {
  readonly kind: 'stream';
  readonly relay: S;
  readonly body: UpstreamBody;
  /** The bytes that can be sent to the client at once. */
  readonly first: Uint8Array;
  /** Notified of the first content, if it has not arrived yet; `null` if no upstream was asked. */
  readonly running: Pick<RunningAttempt, 'answering'> | null;
  /** Counts the upstream bytes since `first` that produced no output. */
  readonly quiet: UnproductiveBytes;
}

export interface AttemptInput<S extends ResponseStream = ResponseStream> {
  readonly lane: Lane<S>;
  readonly prepared: LaneRequest;
  readonly stream: boolean;
  readonly target: Target;
  readonly timeouts: CallTimeouts;
  /** The end of the attempt's total timeout by the monotonic clock: the attempt may send several requests. */
  readonly deadlineMs: number;
  /** Whether no other target could answer, so that a stream's lead need not be held back until content arrives. */
  readonly isLast: boolean;
  readonly client: WaitingClient;
  /** The memory that the answer of this call holds. */
  readonly buffered: BufferedBytes;
  /** The headers with the ids that the upstream gets; `null` for none. */
  readonly ids: Readonly<Record<string, string>> | null;
  /** The `_routing` facts of this attempt. */
  readonly routing: RoutingFacts;
  /** Receives the status and headers of every upstream response, including error responses. */
  readonly outcome: Pick<Outcome, 'heard'> & Partial<Pick<Outcome, 'trace'>>;
  /** Notified when the upstream has begun to answer: at the headers of a whole answer, at the first content of a stream. */
  readonly running: Pick<RunningAttempt, 'answering' | 'further' | 'heard'>;
}

/** Asks one target once. */
export function ask({ upstream }: AttemptTools, input: AttemptInput): Promise<UpstreamAnswer | Failure> {
  const { target, lane, prepared, timeouts, client, ids } = input;
  const isStreamed = input.stream && lane.stream !== undefined;
  const url = isStreamed ? target.streamUrl : target.url;
  const headers = isStreamed ? target.streamHeaders : target.headers;
  return send(upstream, { target, url, headers, prepared, timeouts, client, ids });
}

type AttemptResult<S extends ResponseStream> = WholeResult | StreamResult<S> | Failure;

/**
 * Reads the upstream's answer, synchronously if all of it has arrived. Nothing has been sent to the client when it returns, so another
 * target can still be tried after a failure.
 */
export function answerOf<S extends ResponseStream>(
  tools: AttemptTools,
  input: AttemptInput<S>,
  answer: UpstreamAnswer,
): AttemptResult<S> | Promise<AttemptResult<S>> {
  input.outcome.heard(answer);
  if (answer.status < 200 || answer.status > 299) return refused(input.target, answer);
  const { lane } = input;
  const read = lane.continued === undefined ? answer : lane.continued(answer, new Rounds(tools, input));
  if (!input.stream) return readWhole(tools, input, read);
  return lane.stream === undefined ? streamOfAnswer(tools, input, read) : openStream(tools, input, read);
}

function readWhole(
  tools: AttemptTools,
  input: AttemptInput,
  answer: UpstreamAnswer,
): WholeResult | Failure | Promise<WholeResult | Failure> {
  const { lane, prepared, buffered } = input;
  input.running.answering();
  if (lane.next !== undefined || prepared.more !== undefined) return readJoined(tools, input, answer);
  // Nearly every request takes this path, which skips the steps for jobs and split requests: each step costs microseconds.
  const bytes = answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, take: buffered.takeWhole });
  if (bytes instanceof Promise) return readLater(input, answer, bytes);
  if (bytes instanceof Failure) return bytes;
  input.outcome.trace?.mark();
  const told = lane.answer(bytes, answer.headers);
  return told instanceof Promise ? toldLater(input, told) : toldAs(input, told);
}

async function readLater(
  input: AttemptInput,
  { headers }: UpstreamAnswer,
  reading: Promise<Uint8Array | Failure>,
): Promise<WholeResult | Failure> {
  const bytes = await reading;
  if (bytes instanceof Failure) return bytes;
  input.outcome.trace?.mark();
  const told = input.lane.answer(bytes, headers);
  return toldAs(input, told instanceof Promise ? await told : told);
}

async function readJoined(
  tools: AttemptTools,
  input: AttemptInput,
  first: UpstreamAnswer,
): Promise<WholeResult | Failure> {
  const { lane } = input;
  const parts = await readParts(tools, input, first);
  if (parts instanceof Failure) return parts;
  input.outcome.trace?.mark();
  const [only, another] = parts;
  const isOne = only !== undefined && another === undefined;
  const telling = isOne ? lane.answer(only.bytes, only.headers) : lane.answers?.(parts);
  if (telling === undefined) throw new Error('a lane that sends several requests cannot join their answers');
  return toldAs(input, await telling);
}

async function toldLater(
  input: AttemptInput,
  telling: Promise<WholeResponse | Failure>,
): Promise<WholeResult | Failure> {
  return toldAs(input, await telling);
}

function toldAs(
  { routing, prepared: { losses }, lane, outcome }: AttemptInput,
  answer: WholeResponse | Failure,
): WholeResult | Failure {
  if (!lane.isRelayed) outcome.trace?.passed('decode', answer, true);
  return answer instanceof Failure ? answer : { kind: 'whole', answer, routing, losses };
}

async function openStream<S extends ResponseStream>(
  tools: AttemptTools,
  input: AttemptInput<S>,
  answer: UpstreamAnswer,
): Promise<StreamResult<S> | Failure> {
  if (isJson(answer.headers)) {
    const { lane } = input;
    return await (lane.streamOfWhole === undefined ? streamOfAnswer : streamOfWhole)(tools, input, answer);
  }
  const { routing } = input;
  const { losses } = input.prepared;
  const relay = input.lane.stream?.(answer.headers);
  if (relay === undefined) throw new Error('the lane does not support streams');
  if (relay instanceof Failure) {
    answer.body.cancel();
    return relay;
  }
  const lead: Uint8Array[] = [];
  let leadBytes = 0;
  // A longer lead is sent to the client as it comes. Holding it to keep other targets possible is not worth the memory.
  const mostLeadBytes = Math.max(MAX_LEAD_BYTES, (input.prepared.body?.length ?? 0) * LEAD_PER_REQUEST_BYTE);
  const quiet = new UnproductiveBytes(input.buffered);
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
  const { running } = input;
  if (relay.started || relay.finished) running.answering();
  return {
    kind: 'stream',
    relay,
    body: answer.body,
    first: joinPieces(lead),
    running,
    quiet,
    routing,
    losses,
  };
}

/** Handles upstreams that answer a streaming request with one whole JSON response. */
async function streamOfWhole<S extends ResponseStream>(
  tools: AttemptTools,
  input: AttemptInput<S>,
  answer: UpstreamAnswer,
): Promise<StreamResult<S> | Failure> {
  const { lane, running } = input;
  running.answering();
  const parts = await readParts(tools, input, answer);
  if (parts instanceof Failure) return parts;
  const [{ bytes, headers } = { bytes: new Uint8Array(0), headers: answer.headers }] = parts;
  const streamed = lane.streamOfWhole?.(bytes, headers);
  if (streamed === undefined) throw new Error('the lane does not support streams');
  return streamed instanceof Failure ? streamed : knownStream(input, streamed);
}

/** Makes the stream for a client that asked for one when the lane's upstream has none. */
async function streamOfAnswer<S extends ResponseStream>(
  tools: AttemptTools,
  input: AttemptInput<S>,
  answer: UpstreamAnswer,
): Promise<StreamResult<S> | Failure> {
  const whole = await readWhole(tools, input, answer);
  if (whole instanceof Failure) return whole;
  const streamed = input.lane.streamOfAnswer?.(whole.answer);
  if (streamed === undefined) throw new Error('the lane does not support streams');
  return knownStream(input, streamed);
}

function knownStream<S extends ResponseStream>(
  { routing, running, buffered, prepared: { losses } }: AttemptInput<S>,
  { relay, bytes: first }: KnownStream<S>,
): StreamResult<S> {
  const quiet = new UnproductiveBytes(buffered);
  return { kind: 'stream', relay, body: endedBody, first, running, quiet, routing, losses };
}

/** The body of an answer that has been read to its end. */
export const endedBody: UpstreamBody = {
  read: async () => null,
  readAll: async () => new Uint8Array(0),
  cancel: () => undefined,
};

function isJson(headers: AnswerHeaders): boolean {
  return headers.get('content-type')?.includes('application/json') ?? false;
}
