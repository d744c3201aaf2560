import type { Credential } from '../../domain/access/api-key.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../formats/format.ts';
import { requestIdHeaders } from '../../formats/shared/request-id.ts';
import { needsToolTranslation } from '../../formats/shared/tool-translation.ts';
import type { RequestLimits } from '../ports/admission.ts';
import type { Billing } from '../ports/billing.ts';
import type { MediaFetcher } from '../ports/media-fetcher.ts';
import type { ResponseStore } from '../ports/response-store.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import { authenticate } from '../shared/authenticate.ts';
import type { Directory, Principal, VisibleRoutes } from '../shared/directory.ts';
import { asciiJson, type Target } from '../shared/target.ts';
import { Alternatives } from './alternatives.ts';
import type { StreamAnswer, WholeAnswer } from './attempt.ts';
import { AttemptLoop, type LoopAnswer, type LoopPorts, logFailedAttempt, type NoAnswer } from './attempt-loop.ts';
import { ClientStream } from './client-stream.ts';
import { type ConversationKeys, ConversationMemory, conversationKeys } from './conversation-memory.ts';
import { countTokens } from './count-tokens.ts';
import type { Lane, LaneAnswer } from './lane.ts';
import { lossesHeader } from './losses-header.ts';
import { withoutAnswer } from './no-channel.ts';
import { OriginMemory } from './origin-memory.ts';
import { OtherFormats } from './other-formats.ts';
import { chargeFailure, Outcome, type RecordPorts } from './outcome.ts';
import { plan, routesFor } from './plan.ts';
import { usageOfWhole } from './produced-usage.ts';
import { boundByBytes, boundByTokens } from './prompt-bound.ts';
import { type ClientHeaders, relayLane } from './relay-lane.ts';
import type { RunningAttempt } from './running-attempt.ts';
import { StateMemory } from './state-memory.ts';
import { carriesForeignState, Translation } from './translation.ts';
import { Turn } from './turn.ts';

export interface ExchangePorts extends RecordPorts, LoopPorts {
  readonly directory: () => Directory;
  readonly media: MediaFetcher;
  readonly responses: ResponseStore;
  readonly limits: RequestLimits;
  readonly billing: Billing;
  readonly keyUsed: (credential: Credential) => void;
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
  readonly directory: Directory;
  readonly principal: Principal;
  readonly routes: VisibleRoutes;
  /** Those of the routes that may be tried now, best first. */
  readonly targets: readonly Target[];
  /** Of a request that several channels could answer. */
  readonly conversation: ConversationKeys | null;
  /** The most tokens of the prompt, where its bytes tell. */
  readonly promptBound: number | null;
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
  private readonly conversations = new ConversationMemory();
  private readonly alternatives = new Alternatives();

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
    const principal = authenticate(directory, inbound.secret, this.ports.clock.nowMs());
    if (principal instanceof Failure) return this.answerFailure(format, outcome, principal);
    outcome.principal = principal;
    this.ports.keyUsed(principal.credential);
    const asking = this.ports.limits.admit(principal);
    const admission = asking instanceof Promise ? await asking : asking;
    outcome.admission = admission;
    if (admission.refusal !== null) return this.answerFailure(format, outcome, admission.refusal);
    const request = await parsedBody(inbound);
    if (request instanceof Failure) return this.answerFailure(format, outcome, request);
    outcome.stream = request.stream;
    const routes = routesFor(directory, principal, request.model, format.name);
    if (routes instanceof Failure) return this.answerFailure(format, outcome, routes);
    outcome.modelId = request.model;
    outcome.mayUsePlatform = routes.targets.some(({ isPrivate }) => !isPrivate);
    const opened = Turn.open(this.ports, format, principal, request);
    const turn = opened instanceof Promise ? await opened : opened;
    if (turn instanceof Failure) return this.answerFailure(format, outcome, turn);
    const admitted = this.planned({ inbound, outcome, turn, request, directory, principal, routes });
    if (inbound.call.operation === 'count-tokens') return this.answerCount(admitted);
    const reserving = this.reserve(admitted);
    const reservation = reserving instanceof Promise ? await reserving : reserving;
    if (reservation instanceof Failure) return this.answerFailure(format, outcome, reservation);
    outcome.reservation = reservation;
    const answer = await this.attemptAll(admitted);
    if (answer instanceof Failure) return this.answerFailure(format, outcome, answer);
    const { answer: answered, running } = answer;
    return answered.kind === 'whole'
      ? this.answerWhole(admitted, answered)
      : this.answerStream(admitted, answered, running);
  }

  private planned(
    known: Pick<Admitted, 'inbound' | 'outcome' | 'turn' | 'request' | 'directory' | 'principal' | 'routes'>,
  ): Admitted {
    const { inbound, turn, request, principal, routes } = known;
    const { format } = inbound;
    const accountId = principal.account.id;
    const presented = format.issuing?.presented(turn.whole) ?? [];
    const issuers = presented.length === 0 ? [] : this.memory.origins.channelsOf(accountId, presented);
    // Where there is no choice nothing has to be known for it.
    const conversation = routes.targets.length < 2 ? null : conversationKeys(accountId, format, turn.whole);
    // Asked for only where money is limited, and known only while the bytes are there.
    const { account, credential } = principal;
    const isLimited = account.billing === 'prepaid' || credential.limitNanoUsd !== null;
    const promptBound = isLimited ? boundByBytes(turn.whole.bytes) : null;
    // A long conversation is held once less where its bytes can be of no more use.
    if (!routes.targets.some(({ upstream }) => upstream.name === format.name)) turn.releaseBytes();
    const nowMs = this.ports.clock.monotonicMs();
    const last = conversation === null ? null : this.conversations.channelOf(conversation, nowMs);
    const targets = plan({
      routes,
      strategy: principal.account.strategy ?? routes.model.strategy ?? this.ports.routing.strategy,
      stream: request.stream,
      affinity: turn.affinity(issuers, last),
      nowMs,
      random: this.ports.random,
    });
    return { ...known, targets, conversation, promptBound, issuers, translation: null, relayed: false };
  }

  private reserve({ inbound, outcome, principal, routes, turn, request, promptBound }: Admitted) {
    const { format } = inbound;
    return this.ports.billing.reserve({
      requestId: outcome.requestId,
      principal,
      modelId: request.model,
      prices: routes.prices,
      mayUsePlatform: outcome.mayUsePlatform,
      mayUseOwn: routes.targets.some(({ isPrivate }) => isPrivate),
      promptTokens: () => promptBound ?? boundByTokens(format, turn.whole),
      output: () => format.outputBound(turn.whole),
    });
  }

  private async attemptAll(admitted: Admitted): Promise<LoopAnswer | Failure> {
    const { inbound, outcome, request, targets, conversation } = admitted;
    const loop = new AttemptLoop(this.ports, {
      outcome,
      client: inbound,
      stream: request.stream,
      targets,
      otherFormats: this.otherFormats,
      laneFor: (target, retryCount) => {
        const routingJson = routingJsonOf(target, retryCount);
        return { lane: this.laneFor(admitted, target, routingJson), routingJson };
      },
    });
    const result = await loop.run();
    if (!('answer' in result)) return this.withoutAnswer(admitted, result);
    const nowMs = this.ports.clock.monotonicMs();
    if (conversation !== null) this.conversations.remember(conversation, result.target.channel.id, nowMs);
    if (result.answer.kind === 'whole') result.running.answered();
    return result;
  }

  private withoutAnswer({ request, routes, directory, principal }: Admitted, noAnswer: NoAnswer): Failure {
    const { alternatives } = this;
    const nowMs = this.ports.clock.monotonicMs();
    const input = { directory, principal, modelId: request.model, targets: routes.targets, alternatives, nowMs };
    return withoutAnswer(noAnswer, input);
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
      const { inbound, principal, turn } = admitted;
      admitted.translation = new Translation(this.ports, this.memory, {
        format: inbound.format,
        parsed: turn.whole,
        accountId: principal.account.id,
        client: inbound,
      });
    }
    return admitted.translation;
  }

  /** A whole answer goes out when it is charged, and kept where it is to be. */
  private async answerWhole(admitted: Admitted, answered: WholeAnswer): Promise<Outbound> {
    const { body } = answered.answer;
    // Its failure is looked at only after the keeping, and must not be nobody's until then.
    const charging = this.chargeWhole(admitted, answered)?.then(
      () => null,
      (error: unknown) => error ?? 'unknown',
    );
    if (isOfInterest(admitted)) {
      const answerJson = typeof body === 'string' ? body : new TextDecoder().decode(body);
      await this.keep(admitted, answerJson);
    }
    const problem = charging === undefined ? null : await charging;
    if (problem === null) return this.wholeOutbound(admitted, answered);
    admitted.outcome.notCharged(problem);
    return this.answerFailure(admitted.inbound.format, admitted.outcome, chargeFailure());
  }

  private chargeWhole({ inbound, outcome, turn }: Admitted, { answer }: WholeAnswer): undefined | Promise<void> {
    if (answer.usage !== null) return outcome.charge(answer.usage);
    if (!outcome.dependsOnUsage) return undefined;
    return usageOfWhole({ format: inbound.format, request: turn.whole }, answer.body).then((usage) =>
      outcome.charge(usage),
    );
  }

  private wholeOutbound(
    admitted: Admitted,
    { answer, routingJson, losses }: Pick<WholeAnswer, 'answer' | 'routingJson' | 'losses'>,
  ): Outbound {
    const { outcome, inbound } = admitted;
    outcome.status = 200;
    outcome.firstByteSent();
    if (outcome.usage === null && inbound.call.operation === 'generate') this.recordCounted(admitted, answer.body);
    else outcome.record();
    const headers = answerHeaders(admitted, routingJson, losses);
    headers['content-type'] = 'application/json';
    return { kind: 'whole', status: 200, headers, body: answer.body };
  }

  /** An answer whose upstream says nothing of its usage goes out at once, and is counted after that. */
  private recordCounted({ inbound, outcome, turn }: Admitted, body: LaneAnswer['body']): void {
    outcome.over();
    this.running++;
    usageOfWhole({ format: inbound.format, request: turn.whole }, body)
      .then((usage) => outcome.charge(usage))
      .catch((error) => outcome.notCharged(error))
      .finally(() => {
        outcome.record();
        this.running--;
      });
  }

  private answerStream(admitted: Admitted, answer: StreamAnswer, running: RunningAttempt): Outbound {
    const { inbound, outcome, turn } = admitted;
    outcome.status = 200;
    this.running++;
    const keep = isOfInterest(admitted) ? (answerJson: string) => this.keep(admitted, answerJson) : null;
    const onOver = () => {
      if (outcome.failure === null) running.answered();
      else running.failed(outcome.failure);
    };
    const { format } = inbound;
    const stream = new ClientStream(answer, format, turn.whole, outcome, keep, onOver, () => this.running--);
    const headers = {
      'content-type': inbound.format.streamContentType(turn.whole),
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
    const { outcome, turn, inbound, principal } = admitted;
    const { target, requestId } = outcome;
    if (target === null) return;
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
      withoutTarget: () => this.withoutAnswer(admitted, { failure: null, wasCutShort: false }),
      translation: this.translationFor(admitted),
      mayRelay: !carriesForeignState(request.bytes),
      client: inbound,
      routingJsonOf: (target) => routingJsonOf(target, outcome.retryCount),
      onFailure: ({ channel }, failure) => {
        logFailedAttempt(this.ports.logger, outcome.requestId, channel.id, failure);
        outcome.failedAttempts.push({ channelId: channel.id, kind: failure.kind, latencyMs: 0 });
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
    const headers: Record<string, string> = { ...rendered.headers, ...callHeaders(format, outcome) };
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
  const headers = callHeaders(inbound.format, outcome);
  headers['x-routing'] = routingJson;
  const lost = lossesHeader(losses);
  if (lost !== null) headers['x-switchyard-losses'] = lost;
  return headers;
}

/** The request's id, and what the limits say. */
function callHeaders(format: ClientFormat, { requestId, admission }: Outcome): Record<string, string> {
  return { ...requestIdHeaders(format, requestId), ...admission?.headers };
}

/** The target's own JSON serves as it is while there was no retry, which is nearly always. */
function routingJsonOf(target: Target, retryCount: number): string {
  return retryCount === 0 ? target.routingJson : asciiJson({ ...target.routing, retryCount });
}
