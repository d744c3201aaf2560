import type { Loss } from '../../domain/exchange/loss.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../formats/format.ts';
import { needsToolTranslation } from '../../formats/shared/tool-translation.ts';
import type { MediaFetcher } from '../ports/media-fetcher.ts';
import type { ResponseStore } from '../ports/response-store.ts';
import type { Upstream, WaitingClient } from '../ports/upstream.ts';
import type { Directory } from '../shared/directory.ts';
import { asciiJson, type Target } from '../shared/target.ts';
import { attempt, type StreamAnswer, type WholeAnswer } from './attempt.ts';
import { authenticate } from './authenticate.ts';
import { ClientStream } from './client-stream.ts';
import { countTokens } from './count-tokens.ts';
import type { Lane } from './lane.ts';
import { lossesHeader } from './losses-header.ts';
import { OriginMemory } from './origin-memory.ts';
import { OtherFormats } from './other-formats.ts';
import { Outcome, type RecordPorts } from './outcome.ts';
import { plan } from './plan.ts';
import { type ClientHeaders, relayLane } from './relay-lane.ts';
import { StateMemory } from './state-memory.ts';
import { carriesForeignState, Translation } from './translation.ts';
import { Turn } from './turn.ts';

export interface ExchangePorts extends RecordPorts {
  readonly directory: () => Directory;
  readonly upstream: Upstream;
  readonly media: MediaFetcher;
  readonly responses: ResponseStore;
  readonly random: () => number;
  readonly newRequestId: () => string;
  /** A fresh id: the prefix and random letters and digits. */
  readonly newId: (prefix: string) => string;
}

/** What a transport brings: the credential as presented, the body (read only once the client is known), the way out. */
export interface Inbound extends WaitingClient, ClientHeaders {
  readonly format: ClientFormat;
  readonly call: InboundCall;
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

/** One admitted request with all that its attempts share. */
interface Admitted {
  readonly inbound: Inbound;
  readonly outcome: Outcome;
  readonly turn: Turn;
  readonly request: ParsedRequest;
  readonly targets: readonly Target[];
  /** The channels that issued state which the request brings back. */
  readonly issuers: readonly string[];
  /** Made when the first target needs it. */
  translation: Translation | null;
  /** The lane of the latest attempt. */
  relayed: boolean;
}

/** The life of a request (docs/life-of-a-request.md): admit → plan → attempt → answer → record. */
export class Exchange {
  private running = 0;
  private readonly otherFormats = new OtherFormats();
  private readonly memory = { states: new StateMemory(), origins: new OriginMemory() };

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
    const request = await parsedBody(inbound);
    if (request instanceof Failure) return this.answerFailure(format, outcome, request);
    outcome.stream = request.stream;
    const targets = plan(directory, principal, request.model, format.name, this.ports.random);
    if (targets instanceof Failure) return this.answerFailure(format, outcome, targets);
    outcome.modelId = request.model;
    const opened = Turn.open(this.ports, format, principal, request);
    const turn = opened instanceof Promise ? await opened : opened;
    if (turn instanceof Failure) return this.answerFailure(format, outcome, turn);
    // A long conversation is held once less where its bytes can be of no more use.
    if (!targets.some(({ upstream }) => upstream.name === format.name)) turn.releaseBytes();
    const presented = format.issuing?.presented(turn.whole) ?? [];
    const issuers = presented.length === 0 ? [] : this.memory.origins.channelsOf(principal.account.id, presented);
    const ordered = turn.order(targets, issuers);
    const admitted: Admitted = {
      inbound,
      outcome,
      turn,
      request,
      targets: ordered,
      issuers,
      translation: null,
      relayed: false,
    };
    if (inbound.call.operation === 'count-tokens') return this.answerCount(admitted);
    const answer = await this.attemptAll(admitted);
    if (answer instanceof Failure) return this.answerFailure(format, outcome, answer);
    return answer.kind === 'whole' ? this.answerWhole(admitted, answer) : this.answerStream(admitted, answer);
  }

  /** Tries the targets in order until one answers or the failure says that no other could help. */
  private async attemptAll(admitted: Admitted): Promise<WholeAnswer | StreamAnswer | Failure> {
    const { inbound, outcome, request } = admitted;
    let failure: Failure | null = null;
    let failed = 0;
    const queue = admitted.targets.map((target) => this.otherFormats.candidate(target));
    for (let candidate = queue.shift(); candidate; candidate = queue.shift()) {
      const { target } = candidate;
      const routingJson = routingJsonOf(target, failed);
      const lane = this.laneFor(admitted, target, routingJson);
      const answer = await attempt(this.ports.upstream, {
        lane,
        stream: request.stream,
        target,
        client: inbound,
        routingJson,
      });
      const isAsked = !(answer instanceof Failure) || answer.kind !== 'loss_refused';
      if (isAsked) {
        outcome.target = target;
        outcome.retryCount = failed;
      }
      if (!(answer instanceof Failure)) {
        outcome.upstreamRequestId = answer.upstreamRequestId;
        this.otherFormats.answered(candidate, failure);
        return answer;
      }
      // What another channel could not carry is no reason to hide what this one's upstream said.
      if (failure === null || answer.kind !== 'loss_refused') failure = answer;
      if (isAsked) failed++;
      queue.unshift(...this.otherFormats.after(candidate, answer));
      // The client's own mistake, or its leaving, says nothing about the channel.
      if (answer.side !== 'client') this.attemptFailed(outcome, target, answer);
      if (answer.retry === 'never') break;
    }
    return (
      failure ??
      new Failure('all_channels_failed', { message: 'No channel serves this model now.', retryAfterMs: 1000 })
    );
  }

  private laneFor(admitted: Admitted, target: Target, routingJson: string): Lane {
    const { inbound, turn } = admitted;
    const translated = () => this.translationFor(admitted).lane(target, routingJson);
    admitted.relayed = isRelayed(admitted, target);
    return admitted.relayed
      ? relayLane(inbound.format, turn.requestFor(target), target, inbound, routingJson, translated)
      : translated();
  }

  private translationFor(admitted: Admitted): Translation {
    if (admitted.translation === null) {
      const { inbound, outcome, turn } = admitted;
      admitted.translation = new Translation(this.ports, this.memory, {
        format: inbound.format,
        parsed: turn.whole,
        accountId: outcome.principal?.account.id ?? '',
        client: inbound,
      });
    }
    return admitted.translation;
  }

  private attemptFailed(outcome: Outcome, target: Target, failure: Failure): void {
    const { requestId } = outcome;
    const { kind, side } = failure;
    this.ports.metrics.attemptFailed(target.channel.id, kind);
    // An upstream's words may repeat the prompt, which no log may hold; what it says about its own key or account does not.
    const aboutAccess = kind === 'upstream_auth' || kind === 'upstream_quota';
    const reason = aboutAccess ? failure.message : undefined;
    this.ports.logger.warn({ requestId, channelId: target.channel.id, kind, side, reason }, 'attempt failed');
  }

  private answerWhole(admitted: Admitted, answered: WholeAnswer): Outbound | Promise<Outbound> {
    const { body } = answered.answer;
    if (!isOfInterest(admitted)) return this.wholeOutbound(admitted, answered);
    const answerJson = typeof body === 'string' ? body : new TextDecoder().decode(body);
    return this.keep(admitted, answerJson).then(() => this.wholeOutbound(admitted, answered));
  }

  private wholeOutbound(
    admitted: Admitted,
    { answer, routingJson, losses }: Pick<WholeAnswer, 'answer' | 'routingJson' | 'losses'>,
  ): Outbound {
    const { outcome } = admitted;
    outcome.usage = answer.usage;
    outcome.status = 200;
    outcome.firstByteSent();
    outcome.record();
    const headers = answerHeaders(admitted, routingJson, losses);
    headers['content-type'] = 'application/json';
    return { kind: 'whole', status: 200, headers, body: answer.body };
  }

  private answerStream(admitted: Admitted, answer: StreamAnswer): Outbound {
    const { inbound, outcome, request } = admitted;
    outcome.status = 200;
    this.running++;
    const keep = isOfInterest(admitted) ? (answerJson: string) => this.keep(admitted, answerJson) : null;
    const stream = new ClientStream(answer, inbound.format, request, outcome, keep, () => this.running--);
    const headers = {
      'content-type': inbound.format.streamContentType(request),
      'cache-control': 'no-cache',
      // Tells nginx and its kin in front of us not to gather chunks.
      'x-accel-buffering': 'no',
      ...answerHeaders(admitted, answer.routingJson, answer.losses),
    };
    return { kind: 'stream', headers, stream };
  }

  /**
   * Remembers what an answer says of its issuer, and keeps it for the client where it is to be kept. Where that fails the
   * answer is worth more than its being kept; the log says so.
   */
  private async keep(admitted: Admitted, answerJson: string): Promise<void> {
    const { outcome, turn, inbound } = admitted;
    const { target, principal, requestId } = outcome;
    if (target === null || principal === null) return;
    // Translated to its own format, too, where the state of several organisations met in one conversation.
    if (target.upstream.name === inbound.format.name && inbound.format.issuing) {
      this.memory.origins.remember(principal.account.id, inbound.format.issuing.issued(answerJson), target.channel.id);
    }
    if (!turn.wantsKeeping) return;
    try {
      const problem = await turn.keep(answerJson, target, admitted.relayed);
      if (problem !== null) this.ports.logger.warn({ requestId, problem }, 'a response could not be stored');
    } catch (error) {
      this.ports.logger.error({ requestId, problem: String(error) }, 'a response could not be stored');
    }
  }

  private async answerCount(admitted: Admitted): Promise<Outbound> {
    const { inbound, outcome, request, targets } = admitted;
    const counted = await countTokens({
      upstream: this.ports.upstream,
      format: inbound.format,
      request,
      targets,
      translation: this.translationFor(admitted),
      mayRelay: !carriesForeignState(request.bytes),
      client: inbound,
      routingJsonOf: (target) => routingJsonOf(target, outcome.retryCount),
      onFailure: (target, failure) => {
        this.attemptFailed(outcome, target, failure);
        outcome.retryCount++;
      },
    });
    if (counted instanceof Failure) return this.answerFailure(inbound.format, outcome, counted);
    outcome.target = counted.target;
    const routingJson = routingJsonOf(counted.target, outcome.retryCount);
    return this.wholeOutbound(admitted, { answer: { body: counted.body, usage: null }, routingJson, losses: [] });
  }

  private answerFailure(format: ClientFormat, outcome: Outcome, failure: Failure): Outbound {
    const rendered = format.encodeFailure(failure);
    outcome.failure = failure;
    outcome.status = rendered.status;
    outcome.clientGone = failure.code === 'client_closed_request';
    outcome.record();
    const headers: Record<string, string> = { ...rendered.headers, ...requestIdHeaders(format, outcome) };
    if (outcome.target) headers['x-routing'] = routingJsonOf(outcome.target, outcome.retryCount);
    return { kind: 'whole', status: rendered.status, headers, body: rendered.body };
  }
}

/** In a function of its own, so that the bytes are held by nobody but the parsed request. */
async function parsedBody({ format, call, readBody }: Inbound): Promise<ParsedRequest | Failure> {
  const bytes = await readBody();
  return bytes instanceof Failure ? bytes : format.parseRequest(bytes, call);
}

/** Relay where the target speaks the client's format and can read all that the request holds, else translate. */
function isRelayed({ inbound, turn, issuers }: Admitted, target: Target): boolean {
  if (target.upstream.name !== inbound.format.name) return false;
  if (issuers.some((channelId) => channelId !== target.channel.id)) return false;
  const { body, bytes } = turn.requestFor(target);
  if (needsToolTranslation(body, target.encoding.quirks)) return false;
  return !carriesForeignState(bytes);
}

/** Whether the whole answer has to be looked at before its end goes out. */
function isOfInterest({ inbound, turn }: Admitted): boolean {
  return inbound.format.issuing !== undefined || turn.wantsKeeping;
}

function answerHeaders(
  { inbound, outcome }: Admitted,
  routingJson: string,
  losses: readonly Loss[],
): Record<string, string> {
  const headers = requestIdHeaders(inbound.format, outcome);
  headers['x-routing'] = routingJson;
  const lost = lossesHeader(losses);
  if (lost !== null) headers['x-switchyard-losses'] = lost;
  return headers;
}

function requestIdHeaders({ requestIdHeader }: ClientFormat, { requestId }: Outcome): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (requestIdHeader !== undefined) headers[requestIdHeader] = requestId;
  return headers;
}

/** The target's own JSON serves as it is while there was no retry, which is nearly always. */
function routingJsonOf(target: Target, retryCount: number): string {
  return retryCount === 0 ? target.routingJson : asciiJson({ ...target.routing, retryCount });
}
