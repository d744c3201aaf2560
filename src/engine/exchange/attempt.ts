import type { ChannelTimeouts } from '../../domain/catalog/channel.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { StreamRelay } from '../../formats/format.ts';
import { EventStreamToSse } from '../../formats/shared/aws-event-stream.ts';
import type { Upstream, UpstreamAnswer, UpstreamBody, WaitingClient } from '../ports/upstream.ts';
import type { Target } from '../shared/target.ts';
import { patchBody } from './body-patch.ts';
import type { Lane, LaneAnswer, LaneRequest } from './lane.ts';

/** An upstream's error body is read no further than this. */
const MAX_ERROR_BYTES = 256 * 1024;
/** A whole answer larger than this is refused; nothing that a chat model answers comes near. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

const BETA = 'anthropic-beta';
const NO_HEADERS: Readonly<Record<string, string>> = {};

interface Answered {
  readonly upstreamRequestId: string | null;
  readonly losses: readonly Loss[];
  readonly routingJson: string;
}

export interface WholeAnswer extends Answered {
  readonly kind: 'whole';
  readonly answer: LaneAnswer;
}

/** A stream whose first data has arrived: only now is the client's 200 certain. */
export interface StreamAnswer extends Answered {
  readonly kind: 'stream';
  readonly relay: StreamRelay;
  readonly body: UpstreamBody;
  /** What can go to the client at once. */
  readonly first: Uint8Array;
}

export interface AttemptInput {
  readonly lane: Lane;
  readonly prepared: LaneRequest;
  readonly stream: boolean;
  readonly target: Target;
  readonly timeouts: ChannelTimeouts;
  readonly client: WaitingClient;
  /** What `_routing` says of this attempt. */
  readonly routingJson: string;
  /** Called when the upstream has begun to answer: the head of a whole answer, the first content of a stream. */
  readonly answering: () => void;
}

/** Asks one target once. Nothing has reached the client when it returns, so a failure can still go elsewhere. */
export async function attempt(upstream: Upstream, input: AttemptInput): Promise<WholeAnswer | StreamAnswer | Failure> {
  const { target, stream, prepared, timeouts, client } = input;
  const url = stream ? target.streamUrl : target.url;
  const headers = stream ? target.streamHeaders : target.headers;
  const answer = await send(upstream, { target, url, headers, prepared, timeouts, client });
  if (answer instanceof Failure) return answer;
  if (answer.status < 200 || answer.status > 299) return refused(target, answer);
  // Awaited: a promise that an async function returns takes three turns of the queue instead of one.
  return await (stream ? openStream(input, answer) : readWhole(input, answer));
}

export interface SendInput {
  readonly target: Target;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly prepared: LaneRequest;
  readonly timeouts: ChannelTimeouts;
  readonly client: WaitingClient;
}

/** Sends what a lane made, with the provider's changes of the body and its signature. */
export function send(upstream: Upstream, input: SendInput): Promise<UpstreamAnswer | Failure> {
  const { target, url, prepared, timeouts, client } = input;
  const { local, body: patch } = target;
  // Nearly every provider: nothing is added for one request, so nothing has to be copied or waited for.
  if (prepared.headers === null && patch === null && target.signer === null) {
    const { headers } = input;
    return upstream.send({ url, method: 'POST', headers, body: prepared.body, timeouts, local, client });
  }
  return sendChanged(upstream, input);
}

async function sendChanged(upstream: Upstream, input: SendInput): Promise<UpstreamAnswer | Failure> {
  const { target, url, prepared, timeouts, client } = input;
  const { [BETA]: betas, ...others } = prepared.headers ?? NO_HEADERS;
  const isInBody = target.body?.betaMember !== undefined;
  let headers = { ...input.headers, ...others };
  if (betas !== undefined && !isInBody) headers = { ...headers, [BETA]: betas };
  const body =
    target.body === null ? prepared.body : patchBody(prepared.body, target.body, isInBody ? betas : undefined);
  if (target.signer !== null) {
    const signed = await target.signer({ method: 'POST', url, headers, body });
    if (signed instanceof Failure) return signed;
    headers = { ...headers, ...signed };
  }
  return await upstream.send({ url, method: 'POST', headers, body, timeouts, local: target.local, client });
}

export async function refused(target: Target, answer: UpstreamAnswer): Promise<Failure> {
  const bytes = await answer.body.readAll(MAX_ERROR_BYTES);
  if (!(bytes instanceof Failure)) return target.upstream.decodeFailure(answer.status, answer.headers, bytes);
  // Of a refusal whose words never came only the status counts, unless it was the client that did not wait for them.
  if (bytes.side !== 'upstream') return bytes;
  return target.upstream.decodeFailure(answer.status, answer.headers, new Uint8Array(0));
}

async function readWhole(input: AttemptInput, answer: UpstreamAnswer): Promise<WholeAnswer | Failure> {
  input.answering();
  const bytes = await answer.body.readAll(MAX_ANSWER_BYTES);
  if (bytes instanceof Failure) return bytes;
  const { routingJson } = input;
  const told = input.lane.answer(bytes);
  if (told instanceof Failure) return told;
  const { losses } = input.prepared;
  return { kind: 'whole', answer: told, routingJson, losses, upstreamRequestId: requestIdOf(answer) };
}

async function openStream(input: AttemptInput, answer: UpstreamAnswer): Promise<StreamAnswer | Failure> {
  if (isJson(answer.headers)) return await streamOfWhole(input, answer);
  const { routingJson } = input;
  const { losses } = input.prepared;
  const relay = framed(input.lane.stream(), input.target);
  let first: Uint8Array = new Uint8Array(0);
  while (!relay.started && !relay.finished) {
    const piece = await answer.body.read();
    if (piece instanceof Failure) return piece;
    const out = piece === null ? relay.end() : relay.push(piece);
    if (relay.failure) {
      answer.body.cancel();
      // An error as the very first thing of a 200 stream: nothing has gone out, so another target may still answer.
      if (!relay.started) return relay.failure;
    }
    first = first.length === 0 ? out : Buffer.concat([first, out]);
    if (piece === null) break;
  }
  input.answering();
  const upstreamRequestId = requestIdOf(answer);
  return { kind: 'stream', relay, body: answer.body, first, routingJson, losses, upstreamRequestId };
}

/** Some upstreams answer a request for a stream with one whole answer. */
async function streamOfWhole(input: AttemptInput, answer: UpstreamAnswer): Promise<StreamAnswer | Failure> {
  input.answering();
  const bytes = await answer.body.readAll(MAX_ANSWER_BYTES);
  if (bytes instanceof Failure) return bytes;
  const { routingJson, lane } = input;
  const { losses } = input.prepared;
  const upstreamRequestId = requestIdOf(answer);
  const streamed = lane.streamOfWhole(bytes);
  if (streamed instanceof Failure) return streamed;
  const { relay, bytes: first } = streamed;
  return { kind: 'stream', relay, body: endedBody, first, routingJson, losses, upstreamRequestId };
}

const endedBody: UpstreamBody = {
  read: async () => null,
  readAll: async () => new Uint8Array(0),
  cancel: () => undefined,
};

/** A relay that reads server-sent events, behind whatever framing the provider uses. */
function framed(relay: StreamRelay, { framing }: Target): StreamRelay {
  return framing === 'sse' ? relay : new UnframingRelay(relay);
}

class UnframingRelay implements StreamRelay {
  private readonly frames = new EventStreamToSse();

  constructor(private readonly relay: StreamRelay) {}

  push(piece: Uint8Array): Uint8Array {
    return this.relay.push(this.frames.push(piece));
  }

  end(): Uint8Array {
    const rest = this.relay.push(this.frames.end());
    const end = this.relay.end();
    return rest.length === 0 ? end : Buffer.concat([rest, end]);
  }

  encodeFailure(failure: Failure): string | null {
    return this.relay.encodeFailure?.(failure) ?? null;
  }

  get failure() {
    return this.relay.failure;
  }

  get finished() {
    return this.relay.finished;
  }

  get usage() {
    return this.relay.usage;
  }

  get started() {
    return this.relay.started;
  }

  get produced() {
    return this.relay.produced;
  }

  get answerJson() {
    return this.relay.answerJson ?? null;
  }
}

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.includes('application/json') ?? false;
}

export function requestIdOf({ headers }: UpstreamAnswer): string | null {
  return headers.get('x-request-id') ?? headers.get('request-id') ?? headers.get('x-amzn-requestid');
}
