import type { Credential } from '../../../domain/access/api-key.ts';
import type { Principal } from '../../../domain/access/principal.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { billableOf } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat } from '../../../formats/format.ts';
import { authenticate } from '../../access/authenticate.ts';
import type { Caller } from '../../access/caller.ts';
import type { Principals } from '../../access/principals.ts';
import type { WrongKeys } from '../../access/wrong-keys.ts';
import { Alternatives } from '../../call/alternatives.ts';
import { AnswerMemory } from '../../call/answer-memory.ts';
import { internalError, recordFailure } from '../../call/answered-call.ts';
import type { StreamAnswer, WholeAnswer } from '../../call/attempt.ts';
import {
  AttemptLoop,
  type LoopAnswer,
  type LoopPorts,
  logFailedAttempt,
  type NoAnswer,
} from '../../call/attempt-loop.ts';
import type { Lane, LaneAnswer } from '../../call/lane.ts';
import { withoutAnswer } from '../../call/no-channel.ts';
import { OtherFormats } from '../../call/other-formats.ts';
import { chargeFailure, Outcome, type RecordPorts } from '../../call/outcome.ts';
import { Pings } from '../../call/pings.ts';
import { plan, routesFor } from '../../call/plan.ts';
import type { RunningAttempt } from '../../call/running-attempt.ts';
import type { Directory } from '../../directory/directory.ts';
import { ObjectMemory } from '../../directory/object-memory.ts';
import type { Target } from '../../directory/target.ts';
import type { RequestLimits } from '../../ports/admission.ts';
import type { AnswerMemorySettings } from '../../ports/answer-memory.ts';
import type { Billing } from '../../ports/billing.ts';
import type { ConversationState } from '../../ports/conversation-state.ts';
import type { MediaFetcher } from '../../ports/media-fetcher.ts';
import type { ObjectOriginStore } from '../../ports/object-origins.ts';
import type { PingSettings } from '../../ports/pings.ts';
import type { ResponseQuota, ResponseStore } from '../../ports/response-store.ts';
import type { Sealing } from '../../ports/sealing.ts';
import {
  type Admitted,
  answerHeaders,
  askedOf,
  callHeaders,
  compactingTargets,
  givenWith,
  type Inbound,
  isOfInterest,
  isRelayed,
  issuesObjects,
  streamHeaders,
} from './admitted.ts';
import { ClientStream, type OutboundStream } from './client-stream.ts';
import { ConnectionMemories, type ConnectionMemory } from './connection-memory.ts';
import { countTokens } from './count-tokens.ts';
import { coverExtras } from './extras.ts';
import { IssuedResponses } from './issued-responses.ts';
import { type KeepingPorts, keepAnswer, keepTurn } from './keeping.ts';
import { LateStream } from './late-stream.ts';
import { parsedBody } from './parsed-body.ts';
import { Memories, type Past, pastOf } from './past.ts';
import { usageOfWhole } from './produced-usage.ts';
import { headerProblem, relayLane } from './relay-lane.ts';
import { BoundsOfRequest } from './request-bounds.ts';
import { Translation } from './translation.ts';
import { Turn, type TurnPorts } from './turn.ts';
import { WatchedRelay } from './watched-relay.ts';

const utf8 = new TextEncoder();

export interface ExchangePorts extends RecordPorts, LoopPorts {
  readonly directory: () => Directory;
  readonly principals: Pick<Principals, 'find'>;
  readonly media: MediaFetcher;
  readonly responses: ResponseStore;
  readonly responseQuota: ResponseQuota;
  readonly objects: ObjectOriginStore;
  readonly conversationState: ConversationState;
  readonly sealing: Sealing;
  readonly limits: RequestLimits;
  readonly billing: Billing;
  readonly answerMemory: AnswerMemorySettings;
  readonly pings: PingSettings;
  readonly keyUsed: (credential: Credential) => void;
  readonly wrongKeys: Pick<WrongKeys, 'refused'>;
  readonly newRequestId: () => string;
  /** A fresh id: the prefix and random letters and digits. */
  readonly newId: (prefix: string) => string;
}

export type Outbound =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: Uint8Array<ArrayBuffer> | string;
    }
  | { readonly kind: 'stream'; readonly headers: Record<string, string>; readonly stream: OutboundStream };

/** The life of a request (docs/life-of-a-request.md): admit → plan → attempt → answer → record. */
export class Exchange {
  private running = 0;
  private readonly streams = new Set<ClientStream>();
  private readonly pings: Pings;
  private readonly otherFormats = new OtherFormats();
  private readonly memory: Memories;
  private readonly alternatives = new Alternatives();
  private readonly connections = new ConnectionMemories();

  /** What only providers keep of the answers. */
  readonly issued: IssuedResponses;
  private readonly answers: AnswerMemory;
  private readonly objects: ObjectMemory;
  private readonly turnPorts: TurnPorts;
  private readonly keeping: KeepingPorts;

  constructor(private readonly ports: ExchangePorts) {
    this.memory = new Memories(ports.conversationState);
    this.answers = new AnswerMemory(ports.answerMemory);
    this.pings = new Pings(ports.pings);
    this.objects = new ObjectMemory(ports);
    const { objects, answers } = this;
    this.issued = new IssuedResponses({ ...ports, objects, answers });
    this.keeping = { objects: this.objects, origins: this.memory.origins, logger: ports.logger };
    this.turnPorts = { ...ports, objects, issued: this.issued };
  }

  /** Requests and streams that have not ended yet. */
  get inFlight(): number {
    return this.running;
  }

  /** Whether clients of silent streams hear something now and then. */
  get pingsStreams(): boolean {
    return this.pings.isOn;
  }

  /** Streams whose clients have not been told their end. */
  get openStreams(): number {
    return this.streams.size;
  }

  /** Ends the streams that are open, also those whose clients take nothing more (shutdown). */
  cutOff(failure: Failure): void {
    for (const stream of [...this.streams]) stream.cutOff(failure);
  }

  /** Ends streams whose clients do not read, and pings those whose upstream says nothing. To be called once a second. */
  lookAtStreams(): void {
    this.answers.look();
    this.pings.look();
  }

  /** Who is at the door of a connection on which requests will come, each of which is looked at again. */
  async identify(caller: Caller): Promise<Principal | Failure> {
    const principal = await authenticate(this.ports.principals, caller.secret, this.ports.clock.nowMs());
    return principal instanceof Failure ? this.ports.wrongKeys.refused(caller, principal) : principal;
  }

  /** What is kept for the requests of one connection, until it is closed. */
  openConnection(accountId: string): ConnectionMemory {
    return this.connections.open(accountId);
  }

  async run(inbound: Inbound): Promise<Outbound> {
    const outcome = new Outcome(this.ports, this.ports.newRequestId(), inbound.format.name);
    this.running++;
    try {
      return await this.walk(inbound, outcome);
    } catch (error) {
      return this.answerFailure(inbound.format, outcome, internalError(this.ports.logger, outcome.requestId, error));
    } finally {
      this.running--;
    }
  }

  private async walk(inbound: Inbound, outcome: Outcome): Promise<Outbound> {
    const { format } = inbound;
    const directory = this.ports.directory();
    const asked = authenticate(this.ports.principals, inbound.secret, this.ports.clock.nowMs());
    const principal = asked instanceof Promise ? await asked : asked;
    if (principal instanceof Failure) {
      return this.answerFailure(format, outcome, this.ports.wrongKeys.refused(inbound, principal));
    }
    outcome.principal = principal;
    this.ports.keyUsed(principal.credential);
    const asking = this.ports.limits.admit(principal);
    const admission = asking instanceof Promise ? await asking : asking;
    outcome.admission = admission;
    if (admission.refusal !== null) return this.answerFailure(format, outcome, admission.refusal);
    const request = await parsedBody(inbound, principal.account.id);
    if (request instanceof Failure) return this.answerFailure(format, outcome, request);
    outcome.stream = request.stream;
    const badHeader = headerProblem(format, inbound);
    if (badHeader !== null) return this.answerFailure(format, outcome, badHeader);
    const routes = routesFor(directory, principal, request.model, format.name);
    if (routes instanceof Failure) return this.answerFailure(format, outcome, routes);
    outcome.modelId = request.model;
    const { targets } = routes;
    const { connection } = inbound;
    const turnPorts = connection === undefined ? this.turnPorts : { ...this.turnPorts, connection };
    const opened = Turn.open(turnPorts, { format, client: inbound, principal, request, targets });
    const turn = opened instanceof Promise ? await opened : opened;
    if (turn instanceof Failure) return this.answerFailure(format, outcome, turn);
    const naming = this.objects.namedBy(principal.account.id, routes, format.objects.named(turn.whole.body));
    const named = naming instanceof Promise ? await naming : naming;
    if (named instanceof Failure) return this.answerFailure(format, outcome, named);
    const { routes: usable } = named;
    outcome.mayUsePlatform = usable.targets.some(({ isPrivate }) => !isPrivate);
    const past = pastOf(principal.account.id, format, turn.whole, usable.targets.length > 1);
    const learning = this.memory.fetch(past);
    if (learning !== null) await learning;
    const known = { inbound, outcome, turn, request, directory, principal, routes: usable, named };
    const admitted = this.planned(known, past);
    if (inbound.call.purpose === 'count-tokens') return this.answerCount(admitted);
    if (inbound.call.purpose === 'warm-up') return this.answerWarmUp(admitted);
    const reserving = this.reserve(admitted);
    const reservation = reserving instanceof Promise ? await reserving : reserving;
    if (reservation instanceof Failure) return this.answerFailure(format, outcome, reservation);
    outcome.reservation = reservation;
    const answering = this.attemptAll(admitted);
    const answer = await (request.stream && this.pings.isOn ? this.pings.within(answering) : answering);
    if (answer === null) return this.answerLate(admitted, answering);
    if (answer instanceof Failure) return this.answerFailure(format, outcome, answer);
    const { answer: answered, running } = answer;
    return answered.kind === 'whole'
      ? this.answerWhole(admitted, answered)
      : this.answerStream(admitted, answered, running);
  }

  private planned(
    known: Pick<Admitted, 'inbound' | 'outcome' | 'turn' | 'request' | 'directory' | 'principal' | 'routes' | 'named'>,
    past: Past,
  ): Admitted {
    const { inbound, turn, request, principal, routes } = known;
    const { format } = inbound;
    const { accountId, conversation } = past;
    const { clock } = this.ports;
    const { issuers, lastChannelId } = this.memory.channelsOf(past, clock.nowMs());
    const { bodyBytes } = turn;
    const bounds = new BoundsOfRequest({ accountId, format, request: turn.whole, bodyBytes, model: routes.model });
    // A long conversation is held once less where its bytes can be of no more use.
    if (!routes.targets.some(({ upstream }) => upstream.name === format.name)) turn.releaseBytes();
    const targets = plan({
      routes,
      accountId,
      strategy: principal.account.strategy ?? routes.model.strategy ?? this.ports.routing.strategy,
      stream: request.stream,
      affinity: turn.affinity(issuers, lastChannelId),
      nowMs: clock.monotonicMs(),
      random: this.ports.random,
    });
    const held = this.answers.open(accountId, (release) => known.outcome.whenOver(release));
    return { ...known, targets, conversation, bounds, issuers, held, translation: null, relayed: false };
  }

  private reserve({ outcome, principal, routes, request, bounds }: Admitted) {
    return this.ports.billing.reserve({
      requestId: outcome.requestId,
      principal,
      modelId: request.model,
      prices: routes.prices,
      mayUsePlatform: outcome.mayUsePlatform,
      mayUseOwn: routes.targets.some(({ isPrivate }) => isPrivate),
      bounds,
    });
  }

  private async attemptAll(admitted: Admitted): Promise<LoopAnswer | Failure> {
    const { inbound, outcome, principal, request, targets, conversation, held, named } = admitted;
    const isCompaction = inbound.call.purpose === 'compact';
    const extras = { ...admitted, clientFormat: inbound.format.name, body: request.body };
    const loop = new AttemptLoop(this.ports, {
      outcome,
      accountId: principal.account.id,
      client: inbound,
      held,
      stream: request.stream,
      targets: isCompaction ? compactingTargets(admitted) : targets,
      // What a compaction shows of an address says nothing of its generations.
      otherFormats: isCompaction ? new OtherFormats() : this.otherFormats,
      missingObject: named.missing,
      admit: (target, prepared) => coverExtras(target, prepared, extras, outcome.reservation),
      laneFor: (target, retryCount) => {
        const routing = target.routing.withRetries(retryCount);
        return { lane: this.laneFor(admitted, target, routing), routing };
      },
    });
    const result = await loop.run();
    if (!('answer' in result)) return this.withoutAnswer(admitted, result);
    this.memory.conversations.remember(conversation, result.target.channel.id, this.ports.clock.nowMs());
    if (result.answer.kind === 'whole') result.running.answered();
    return result;
  }

  private withoutAnswer({ request, routes, directory, principal }: Admitted, noAnswer: NoAnswer): Failure {
    const { alternatives } = this;
    const nowMs = this.ports.clock.monotonicMs();
    const input = { directory, principal, modelId: request.model, targets: routes.targets, alternatives, nowMs };
    return withoutAnswer(noAnswer, input);
  }

  private laneFor(admitted: Admitted, target: Target, routing: RoutingFacts): Lane {
    const { inbound, turn } = admitted;
    const translated = () => this.translationFor(admitted).lane(target, routing);
    const isCompaction = inbound.call.purpose === 'compact';
    admitted.relayed = isCompaction ? target.url === target.compactUrl : isRelayed(admitted, target);
    return admitted.relayed
      ? relayLane(inbound.format, turn.requestFor(target), target, inbound, routing, translated)
      : translated();
  }

  private translationFor(admitted: Admitted): Translation {
    if (admitted.translation === null) {
      const { inbound, principal, turn, outcome } = admitted;
      const { format, call } = inbound;
      const summary = call.purpose === 'compact' ? format.compacting?.summaryRequest(turn.whole) : undefined;
      admitted.translation = new Translation(this.ports, this.memory, {
        format,
        parsed: summary ?? turn.whole,
        bodyBytes: turn.bodyBytes,
        accountId: principal.account.id,
        client: inbound,
        whenOver: (release) => outcome.whenOver(release),
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
      await keepAnswer(this.keeping, admitted, answerJson);
    }
    const problem = charging === undefined ? null : await charging;
    if (problem === null) return this.wholeOutbound(admitted, answered.answer, answered);
    admitted.outcome.notCharged(problem);
    return this.answerFailure(admitted.inbound.format, admitted.outcome, chargeFailure());
  }

  private chargeWhole(admitted: Admitted, { answer }: WholeAnswer): undefined | Promise<void> {
    const { outcome } = admitted;
    outcome.served = answer.served;
    if (answer.usage !== null) return outcome.charge(billableOf(answer.usage));
    if (!outcome.dependsOnUsage) return undefined;
    return usageOfWhole(askedOf(admitted), answer.shown ?? answer.body).then((usage) =>
      outcome.charge(billableOf(usage)),
    );
  }

  private wholeOutbound(
    admitted: Admitted,
    { body, shown = body }: Pick<LaneAnswer, 'body' | 'shown'>,
    { routing, losses }: Pick<WholeAnswer, 'routing' | 'losses'>,
  ): Outbound {
    const { outcome, inbound } = admitted;
    outcome.status = 200;
    outcome.firstByteSent();
    const isGenerated = inbound.call.purpose === 'generate' || inbound.call.purpose === 'compact';
    if (outcome.billable === null && isGenerated) this.recordCounted(admitted, shown);
    else outcome.record();
    const headers = answerHeaders(admitted, routing, losses);
    headers['content-type'] = 'application/json';
    return { kind: 'whole', status: 200, headers, body };
  }

  /** An answer whose upstream says nothing of its usage goes out at once, and is counted after that. */
  private recordCounted(admitted: Admitted, body: LaneAnswer['body']): void {
    const { outcome } = admitted;
    outcome.over();
    this.running++;
    usageOfWhole(askedOf(admitted), body)
      .then((usage) => outcome.charge(billableOf(usage)))
      .catch((error) => outcome.notCharged(error))
      .finally(() => {
        outcome.record();
        this.running--;
      });
  }

  private answerStream(admitted: Admitted, answer: StreamAnswer, running: RunningAttempt): Outbound {
    admitted.outcome.status = 200;
    const stream = this.openStream(admitted, answer, running);
    return { kind: 'stream', headers: streamHeaders(admitted, answer), stream };
  }

  /** The head goes out now, so that no proxy cuts the connection; what comes of the attempts is told in the stream. */
  private answerLate(admitted: Admitted, answering: Promise<LoopAnswer | Failure>): Outbound {
    const { inbound, outcome, turn } = admitted;
    const { format } = inbound;
    outcome.status = 200;
    this.running++;
    const told = (failure: Failure) => {
      outcome.failure = failure;
      outcome.clientGone = failure.code === 'client_closed_request';
      outcome.record();
      return utf8.encode(
        format.encodeStreamFailure(failure, turn.whole, { isFirst: true, requestId: outcome.requestId }),
      );
    };
    const opening = answering
      .then((answer) => {
        if (answer instanceof Failure) return told(answer);
        if (answer.answer.kind === 'stream') return this.openStream(admitted, answer.answer, answer.running);
        throw new Error('a whole answer to a request for a stream');
      })
      .catch((error) => told(internalError(this.ports.logger, outcome.requestId, error)))
      .finally(() => {
        this.pings.unwatch(stream);
        this.running--;
      });
    const stream = new LateStream(opening, utf8.encode(format.ping));
    this.pings.watch(stream);
    return { kind: 'stream', headers: streamHeaders(admitted, null), stream };
  }

  private openStream(admitted: Admitted, answer: StreamAnswer, running: RunningAttempt): ClientStream {
    const { inbound, outcome } = admitted;
    this.running++;
    const keep = isOfInterest(admitted) ? (answerJson: string) => keepAnswer(this.keeping, admitted, answerJson) : null;
    const onOver = () => {
      this.streams.delete(stream);
      this.answers.unwatch(stream);
      this.pings.unwatch(stream);
      if (watched !== null) void this.objects.given(givenWith(admitted, watched.issued, null));
      if (outcome.failure === null) running.answered();
      else running.failed(outcome.failure);
    };
    const { format } = inbound;
    const isWatched = format.storing === undefined && admitted.relayed && issuesObjects(admitted);
    const watched = isWatched ? new WatchedRelay(answer.relay, format.objects, answer.first) : null;
    const shown = watched === null ? answer : { ...answer, relay: watched };
    const stream = new ClientStream(shown, askedOf(admitted), outcome, keep, onOver, () => this.running--);
    this.streams.add(stream);
    this.answers.watch(stream, admitted.held);
    this.pings.watch(stream);
    return stream;
  }

  /** All of it is checked, and kept for the next turn to go on from; no upstream is asked, and it costs nothing. */
  private async answerWarmUp(admitted: Admitted): Promise<Outbound> {
    const { inbound, outcome, targets } = admitted;
    const [target] = targets;
    const nobody = () => this.withoutAnswer(admitted, { failure: null, wasCutShort: false });
    if (target === undefined) return this.answerFailure(inbound.format, outcome, nobody());
    const routing = target.routing;
    const body = this.translationFor(admitted).emptyAnswer(routing);
    if (body instanceof Failure) return this.answerFailure(inbound.format, outcome, body);
    await keepTurn(this.ports.logger, admitted, target, body);
    return this.wholeOutbound(admitted, { body }, { routing, losses: [] });
  }

  private async answerCount(admitted: Admitted): Promise<Outbound> {
    const { inbound, outcome, request, targets, principal } = admitted;
    const counted = await countTokens({
      accountId: principal.account.id,
      upstream: this.ports.upstream,
      format: inbound.format,
      request,
      targets,
      withoutTarget: () => this.withoutAnswer(admitted, { failure: null, wasCutShort: false }),
      translation: this.translationFor(admitted),
      requestFor: (target) => admitted.turn.requestFor(target),
      mayRelay: (target) => isRelayed(admitted, target),
      extrasInput: { ...admitted, clientFormat: inbound.format.name, body: request.body },
      client: inbound,
      held: admitted.held,
      routingOf: (target) => target.routing.withRetries(outcome.retryCount),
      onFailure: ({ channel }, failure) => {
        logFailedAttempt(this.ports.logger, outcome, channel.id, failure);
        outcome.failedAttempts.push({ channelId: channel.id, kind: failure.kind, latencyMs: 0 });
        outcome.retryCount++;
      },
    });
    if (counted instanceof Failure) return this.answerFailure(inbound.format, outcome, counted);
    outcome.target = counted.target;
    const routing = counted.target.routing.withRetries(outcome.retryCount);
    return this.wholeOutbound(admitted, counted, { routing, losses: [] });
  }

  private answerFailure(format: ClientFormat, outcome: Outcome, failure: Failure): Outbound {
    const rendered = recordFailure(format, outcome, failure);
    const headers: Record<string, string> = { ...rendered.headers, ...callHeaders(format, outcome) };
    if (outcome.target) headers['x-routing'] = outcome.target.routing.withRetries(outcome.retryCount).json;
    return { kind: 'whole', status: rendered.status, headers, body: rendered.body };
  }
}
