import { Failure } from '../../domain/failure/failure.ts';
import type { Format, ParsedRequest } from '../../formats/format.ts';
import type { Upstream, WaitingClient } from '../ports/upstream.ts';
import { asciiJson, type Directory, type Target } from '../shared/directory.ts';
import { attempt, type StreamAnswer, type WholeAnswer } from './attempt.ts';
import { authenticate } from './authenticate.ts';
import { ClientStream } from './client-stream.ts';
import { Outcome, type RecordPorts } from './outcome.ts';
import { plan } from './plan.ts';

export interface ExchangePorts extends RecordPorts {
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  readonly random: () => number;
  readonly newRequestId: () => string;
}

/** What a transport brings: the credential as presented, the body (read only once the client is known), the way out. */
export interface Inbound extends WaitingClient {
  readonly format: Format;
  readonly secret: string | null;
  readBody(): Promise<Uint8Array | Failure>;
}

export type Outbound =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: Uint8Array<ArrayBuffer> | string;
    }
  | { readonly kind: 'stream'; readonly headers: Record<string, string>; readonly stream: ClientStream };

/** The life of a request (docs/life-of-a-request.md): admit → plan → attempt → answer → record. */
export class Exchange {
  private running = 0;

  constructor(private readonly ports: ExchangePorts) {}

  /** Requests and streams that have not ended yet. */
  get inFlight(): number {
    return this.running;
  }

  async run(inbound: Inbound): Promise<Outbound> {
    const outcome = new Outcome(this.ports, this.ports.newRequestId(), inbound.format.name);
    this.running++;
    try {
      return await this.walk(inbound, outcome);
    } catch (error) {
      // A bug of ours: the client learns that, and nothing else about it.
      this.ports.logger.error(
        { requestId: outcome.requestId, error: String(error), stack: error instanceof Error ? error.stack : undefined },
        'internal error',
      );
      const message = `Something went wrong inside the gateway. Report it with the request id ${outcome.requestId}.`;
      return this.answerFailure(inbound.format, outcome, new Failure('internal_error', { message }));
    } finally {
      this.running--;
    }
  }

  private async walk(inbound: Inbound, outcome: Outcome): Promise<Outbound> {
    const { format } = inbound;
    const directory = this.ports.directory();
    const principal = authenticate(directory, inbound.secret);
    if (principal instanceof Failure) return this.answerFailure(format, outcome, principal);
    outcome.principal = principal;
    const bytes = await inbound.readBody();
    if (bytes instanceof Failure) return this.answerFailure(format, outcome, bytes);
    const request = format.parseRequest(bytes);
    if (request instanceof Failure) return this.answerFailure(format, outcome, request);
    outcome.stream = request.stream;
    const targets = plan(directory, principal, request.model, this.ports.random);
    if (targets instanceof Failure) return this.answerFailure(format, outcome, targets);
    outcome.modelId = request.model;
    const answer = await this.attemptAll(inbound, outcome, request, targets);
    if (answer instanceof Failure) return this.answerFailure(format, outcome, answer);
    return answer.kind === 'whole' ? this.answerWhole(outcome, answer) : this.answerStream(inbound, outcome, answer);
  }

  /** Tries the targets in order until one answers or the failure says that no other could help. */
  private async attemptAll(
    inbound: Inbound,
    outcome: Outcome,
    request: ParsedRequest,
    targets: readonly Target[],
  ): Promise<WholeAnswer | StreamAnswer | Failure> {
    let failure: Failure | null = null;
    for (const target of targets) {
      if (outcome.target) outcome.retryCount++;
      outcome.target = target;
      const routingJson = routingJsonOf(target, outcome.retryCount);
      const input = { format: inbound.format, request, target, client: inbound, routingJson };
      const answer = await attempt(this.ports.upstream, input);
      if (!(answer instanceof Failure)) {
        outcome.upstreamRequestId = answer.upstreamRequestId;
        return answer;
      }
      failure = answer;
      // The client's own mistake, or its leaving, says nothing about the channel.
      if (failure.side === 'client') break;
      this.ports.metrics.attemptFailed(target.channel.id, failure.kind);
      this.logAttempt(outcome, target, failure);
      if (failure.retry === 'never') break;
    }
    return (
      failure ??
      new Failure('all_channels_failed', { message: 'No channel serves this model now.', retryAfterMs: 1000 })
    );
  }

  private logAttempt(outcome: Outcome, target: Target, failure: Failure): void {
    const { requestId } = outcome;
    const { kind, side } = failure;
    // An upstream's words may repeat the prompt, which no log may hold; what it says about its own key or account does not.
    const aboutAccess = kind === 'upstream_auth' || kind === 'upstream_quota';
    const reason = aboutAccess ? failure.message : undefined;
    this.ports.logger.warn({ requestId, channelId: target.channel.id, kind, side, reason }, 'attempt failed');
  }

  private answerWhole(outcome: Outcome, { answer, routingJson }: WholeAnswer): Outbound {
    outcome.usage = answer.usage;
    outcome.status = 200;
    outcome.firstByteSent();
    outcome.record();
    const headers = { 'content-type': 'application/json', 'x-request-id': outcome.requestId, 'x-routing': routingJson };
    return { kind: 'whole', status: 200, headers, body: answer.bytes };
  }

  private answerStream(inbound: Inbound, outcome: Outcome, answer: StreamAnswer): Outbound {
    outcome.status = 200;
    this.running++;
    const stream = new ClientStream(answer, inbound.format, outcome, () => this.running--);
    const headers = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      // Tells nginx and its kin in front of us not to gather chunks.
      'x-accel-buffering': 'no',
      'x-request-id': outcome.requestId,
      'x-routing': answer.routingJson,
    };
    return { kind: 'stream', headers, stream };
  }

  private answerFailure(format: Format, outcome: Outcome, failure: Failure): Outbound {
    const rendered = format.encodeFailure(failure);
    outcome.failure = failure;
    outcome.status = rendered.status;
    outcome.clientGone = failure.code === 'client_closed_request';
    outcome.record();
    const headers: Record<string, string> = { ...rendered.headers, 'x-request-id': outcome.requestId };
    if (outcome.target) headers['x-routing'] = routingJsonOf(outcome.target, outcome.retryCount);
    return { kind: 'whole', status: rendered.status, headers, body: rendered.body };
  }
}

/** The target's own JSON serves as it is while there was no retry, which is nearly always. */
function routingJsonOf(target: Target, retryCount: number): string {
  return retryCount === 0 ? target.routingJson : asciiJson({ ...target.routing, retryCount });
}
