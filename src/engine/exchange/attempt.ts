import { Failure } from '../../domain/failure/failure.ts';
import type { Format, ParsedRequest, RelayedAnswer, StreamRelay } from '../../formats/format.ts';
import type { Upstream, UpstreamAnswer, UpstreamBody, WaitingClient } from '../ports/upstream.ts';
import type { Target } from '../shared/directory.ts';

/** An upstream's error body is read no further than this. */
const MAX_ERROR_BYTES = 256 * 1024;
/** A whole answer larger than this is refused; nothing that a chat model answers comes near. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

export interface WholeAnswer {
  readonly kind: 'whole';
  readonly routingJson: string;
  readonly answer: RelayedAnswer;
  readonly upstreamRequestId: string | null;
}

/** A stream whose first data has arrived: only now is the client's 200 certain. */
export interface StreamAnswer {
  readonly kind: 'stream';
  readonly routingJson: string;
  readonly relay: StreamRelay;
  readonly body: UpstreamBody;
  /** What can go to the client at once. */
  readonly first: Uint8Array;
  readonly upstreamRequestId: string | null;
}

export interface AttemptInput {
  readonly format: Format;
  readonly request: ParsedRequest;
  readonly target: Target;
  readonly client: WaitingClient;
  /** What `_routing` says of this attempt. */
  readonly routingJson: string;
}

/** Asks one target once. Nothing has reached the client when it returns, so a failure can still go elsewhere. */
export async function attempt(upstream: Upstream, input: AttemptInput): Promise<WholeAnswer | StreamAnswer | Failure> {
  const { format, request, target } = input;
  const answer = await upstream.send({
    url: target.url,
    method: 'POST',
    headers: request.stream ? target.streamHeaders : target.headers,
    body: format.relayRequest(request, target.upstreamModel),
    timeouts: target.channel.timeouts,
    local: target.local,
    client: input.client,
  });
  if (answer instanceof Failure) return answer;
  if (answer.status < 200 || answer.status > 299) return refused(format, answer);
  // Awaited: a promise that an async function returns takes three turns of the queue instead of one.
  return await (request.stream && !isJson(answer.headers) ? openStream(input, answer) : readWhole(input, answer));
}

async function refused(format: Format, answer: UpstreamAnswer): Promise<Failure> {
  const bytes = await answer.body.readAll(MAX_ERROR_BYTES);
  return format.decodeFailure(answer.status, answer.headers, bytes instanceof Failure ? new Uint8Array(0) : bytes);
}

async function readWhole(input: AttemptInput, answer: UpstreamAnswer): Promise<WholeAnswer | Failure> {
  const bytes = await answer.body.readAll(MAX_ANSWER_BYTES);
  if (bytes instanceof Failure) return bytes;
  const { routingJson } = input;
  const relayed = input.format.relayAnswer(bytes, { publicModel: input.request.model, routingJson });
  if (relayed instanceof Failure) return relayed;
  return { kind: 'whole', answer: relayed, routingJson, upstreamRequestId: requestIdOf(answer) };
}

async function openStream(input: AttemptInput, answer: UpstreamAnswer): Promise<StreamAnswer | Failure> {
  const { routingJson } = input;
  const relay = input.format.relayStream(input.request, { publicModel: input.request.model, routingJson });
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
  return {
    kind: 'stream',
    relay,
    body: answer.body,
    first,
    routingJson,
    upstreamRequestId: requestIdOf(answer),
  };
}

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.includes('application/json') ?? false;
}

function requestIdOf(answer: UpstreamAnswer): string | null {
  return answer.headers.get('x-request-id') ?? answer.headers.get('request-id');
}
