import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { identityOf } from '../../domain/trace/call-identity.ts';
import type { CallCapture, CapturedCall } from '../captures/call-capture.ts';
import type { Directory } from '../directory/directory.ts';
import { mayBeGuarded } from '../directory/guards-in-force.ts';
import type { Target } from '../directory/target.ts';
import type { GuardChecks } from '../guards/guard-check.ts';
import type { Billing, Reservation } from '../ports/billing.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import { acceptedWork } from './accepted-work.ts';
import { type AdmitPorts, admit } from './admit.ts';
import { Alternatives } from './alternatives.ts';
import { type AttemptEvents, AttemptLoop, type LoopPorts, type LoopResult } from './attempt-loop.ts';
import { reserveBatched, taskInBatch } from './batched-call.ts';
import { declinesCapture, noted, overheard } from './captured-call.ts';
import type { Attempted, Concluded } from './concluded.ts';
import { internalError } from './end-of-call.ts';
import { type ChainInput, type ChainSteps, FallbackChain } from './fallback-chain.ts';
import { fallbacksOf, NO_FALLBACKS } from './fallback-list.ts';
import { guarded, guardedResponse } from './guarded-call.ts';
import type { ResponseStream } from './lane.ts';
import { budgetModelsOf, choosesModels, chosenModel, type ModelChoicePorts } from './model-choice.ts';
import { type NoResponse, withoutResponse } from './no-channel.ts';
import type { Asking, Inbound, Job, KnownResponse, Operation } from './operation.ts';
import { OtherWires } from './other-wires.ts';
import { Outcome } from './outcome.ts';
import { plan } from './plan.ts';
import { answerGiven, givenJob } from './relayed-line.ts';
import { type Call, type Outbound, Responder, type ResponderPorts, type Routed } from './responder.ts';
import { detachedClient } from './send.ts';

export interface CallPorts extends AdmitPorts, LoopPorts, ResponderPorts, ModelChoicePorts {
  readonly directory: () => Directory;
  readonly billing: Billing;
  readonly newRequestId: () => string;
  readonly guardChecks: GuardChecks;
  /** Stores requests and responses of accounts with `capture`. */
  readonly captures: { open(call: CapturedCall): CallCapture };
}

/**
 * The life of every call, for every operation (docs/life-of-a-request.md): admit → read → choose → route → known answer →
 * reserve → attempt → settle, answer and record. The steps that differ are supplied by the `Operation`.
 */
export class Calls {
  /** The open streams of calls, and the periodic checks that they need. */
  readonly responder: Responder;
  private running = 0;
  private readonly onRecorded = () => {
    this.running--;
  };
  private readonly otherWires = new OtherWires();
  private readonly alternatives = new Alternatives();

  constructor(private readonly ports: CallPorts) {
    this.responder = new Responder(ports);
  }

  /** The number of calls in progress: started and not recorded yet. */
  get inFlight(): number {
    return this.running;
  }

  run<In extends Inbound, T extends Target, S extends ResponseStream>(
    operation: Operation<In, T, S>,
    inbound: In,
  ): Promise<Outbound> {
    this.running++;
    const { batch } = inbound;
    const identity = identityOf(batch === undefined ? this.ports.newRequestId() : batch.requestId, inbound);
    const outcome = new Outcome(this.ports, identity, inbound.envelope.name, this.onRecorded);
    if (batch !== undefined) outcome.batch = batch;
    outcome.comesFrom(inbound);
    const noting = (outbound: Outbound) => {
      const heard = notedBy(outbound, outcome);
      if (outcome.guard === null) return heard;
      return guardedResponse(heard, outcome.guard, (failure) =>
        this.responder.failed(inbound.envelope, outcome, failure),
      );
    };
    return this.walk(operation, inbound, outcome).then(noting, (error: unknown) =>
      noting(this.responder.broken(inbound.envelope, outcome, error)),
    );
  }

  /**
   * Awaits a value only if it is a promise, so that a call whose data is all in memory does not pass through the microtask queue at each
   * step.
   */
  private async walk<In extends Inbound, T extends Target, S extends ResponseStream>(
    operation: Operation<In, T, S>,
    sent: In,
    outcome: Outcome,
  ): Promise<Outbound> {
    const { ports, responder } = this;
    const { envelope } = sent;

    // Admit: authenticate the caller and check its limits.
    const admitting = admit(ports, sent, outcome);
    const principal = admitting instanceof Promise ? await admitting : admitting;
    if (principal instanceof Failure) return responder.failed(envelope, outcome, principal);
    const inbound = this.wrapped(sent, outcome, principal);
    if (inbound instanceof Failure) return responder.failed(envelope, outcome, inbound);

    // Read: parse and check the request.
    const reading = operation.read(inbound, { principal, outcome });
    const asking = reading instanceof Promise ? await reading : reading;
    outcome.trace?.passed('read', asking);
    if (asking instanceof Failure) return responder.failed(envelope, outcome, asking);

    // Choose: rules and budgets may give the request to another model.
    const directory = ports.directory();
    if (outcome.batch?.relay?.given) return this.given(asking, { inbound, outcome, principal, directory });
    const choosing = choosesModels(ports, directory, principal)
      ? chosenModel(ports, asking, { principal, outcome, directory, format: envelope.name })
      : asking;
    const chosen = choosing instanceof Promise ? await choosing : choosing;
    if (chosen instanceof Failure) return responder.failed(envelope, outcome, chosen);

    // Route: find the targets that may answer, and their order.
    const routing = chosen.route(directory);
    const job = routing instanceof Promise ? await routing : routing;
    outcome.trace?.passed('route', job);
    const named = chosen === asking ? null : asking.modelId;
    const list = fallbacksOf(chosen, job, { inbound, principal, directory, named });
    if (list instanceof Failure) return responder.failed(envelope, outcome, list);
    const budgets = chosen.withModel === undefined ? null : budgetModelsOf(ports, directory, principal);
    if (list !== null || (budgets !== null && !(job instanceof Failure))) {
      const of = { inbound, outcome, principal, directory };
      return this.withFallbacks(job, { asking: chosen, list: list ?? NO_FALLBACKS, budgets, call: of });
    }
    if (job instanceof Failure) return responder.failed(envelope, outcome, job);
    job.asksNoOther?.();
    const call: Call<T, S> = { inbound, outcome, principal, directory, job };
    const buffered = responder.buffered(call);
    const replayed = job.replayed?.();
    if (replayed !== undefined)
      return responder.known({ inbound, outcome, principal, directory, job, targets: [], buffered }, replayed);
    const targets = this.planned(call);
    const routed: Routed<T, S> = { inbound, outcome, principal, directory, job, targets, buffered };

    // Known: an answer that needs no upstream, for example from a cache.
    const looking = job.known?.(routed.targets) ?? null;
    const known = looking instanceof Promise ? null : looking;
    if (known !== null) outcome.lookedUp();
    if (known instanceof Failure) return responder.failed(envelope, outcome, known);
    if (known !== null && known.hit?.pricePercent === undefined) return responder.known(routed, known);

    // An asynchronous lookup, and all that follows it, may take longer than the ping interval.
    const attempting = looking === null ? this.paid(routed) : this.elsewhere(routed, looking);
    const attempted = await responder.within(job, attempting);

    // Settle, answer, record.
    if (attempted === null) return this.late(routed, attempting);
    const concluding = this.concluded(routed, attempted);
    const answer = concluding instanceof Promise ? await concluding : concluding;
    return this.told(routed, answer);
  }

  private told<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    answer: Concluded<T, S>,
  ): Outbound | Promise<Outbound> {
    const { responder } = this;
    const { inbound, outcome } = call;
    if (answer instanceof Failure) return responder.failed(inbound.envelope, outcome, answer);
    if (!('running' in answer)) return responder.known(call, answer);
    return answer.answer.kind === 'whole'
      ? responder.whole(call, answer.answer, answer)
      : responder.stream(call, answer.answer, answer);
  }

  /** Settles and answers a line whose answer has come from a batch of a provider: no other model or target is asked. */
  private async given<T extends Target, S extends ResponseStream>(
    asking: Asking<T, S>,
    call: Omit<Call<T, S>, 'job'>,
  ): Promise<Outbound> {
    const { responder } = this;
    const { inbound, outcome, principal, directory } = call;
    const failed = (failure: Failure) => responder.failed(inbound.envelope, outcome, failure);
    const relay = outcome.batch?.relay ?? null;
    if (relay === null || relay.given === null) throw new Error('a line has no answer yet');
    const job = await givenJob(asking, directory, relay.given);
    if (job instanceof Failure) return failed(job);
    if (outcome.guard !== null) outcome.guard.requireFor(job.modelId);
    const buffered = responder.buffered({ principal, outcome });
    const routed: Routed<T, S> = { ...call, job, targets: [], buffered };
    const refusal = await reserve(this.ports.billing, routed);
    if (refusal !== null) return failed(refusal);
    const answered = await answerGiven(job, outcome, relay, relay.given);
    return answered instanceof Failure ? failed(answered) : this.told(routed, answered);
  }

  /** Does the same for a request with fallback models, from the first model on. */
  private async withFallbacks<T extends Target, S extends ResponseStream>(
    job: Job<T, S> | Failure,
    input: ChainInput<T, S>,
  ): Promise<Outbound> {
    const { responder } = this;
    const { inbound, outcome } = input.call;
    const chain = new FallbackChain(this.ports, this.chainSteps(input), input);
    const first = job instanceof Failure ? await chain.afterHeld(job) : job;
    if (first instanceof Failure) return responder.failed(inbound.envelope, outcome, first);
    const answering = chain.run(first);
    const answer = await responder.within(first, answering);
    if (answer instanceof Failure) return responder.failed(inbound.envelope, outcome, answer);
    if (answer !== null) return this.told(answer.call, answer.answer);
    return responder.late({ ...input.call, job: first }, answering);
  }

  private chainSteps<T extends Target, S extends ResponseStream>({ call: of }: ChainInput<T, S>): ChainSteps<T, S> {
    // All models share the memory of the call, of which only one answer takes a part in the end.
    const buffered = this.responder.buffered(of);
    return {
      routed: (call, bounds) => ({ ...call, targets: this.planned(call), buffered, bounds }),
      attempted: (call) =>
        call.job.known === undefined ? this.paid(call) : this.elsewhere(call, call.job.known(call.targets)),
      concluded: (call, attempted) => this.concluded(call, attempted),
      failureOf: (call, noResponse) => this.usualFailure(call, noResponse),
    };
  }

  /** Lets the guards of the call check its body, and its capture and its trace hear what is left of it. */
  private wrapped<In extends Inbound>(sent: In, outcome: Outcome, principal: Principal): In | Failure {
    const { account, credential } = principal;
    const directory = this.ports.directory();
    const isGuarded = mayBeGuarded(directory.guards, principal);
    const asked = isGuarded ? this.guarded(sent, outcome, { principal, directory }) : sent;
    const isCaptured = (credential.capture ?? account.capture) !== 'none';
    const captured = isCaptured ? this.captured(asked, outcome, account.id) : asked;
    if (captured instanceof Failure) return captured;
    const exchange = outcome.trace?.listens(account.id) ?? null;
    return exchange?.hasContent ? overheard(captured, exchange) : captured;
  }

  private guarded<In extends Inbound>(
    sent: In,
    outcome: Outcome,
    caller: { readonly principal: Principal; readonly directory: Directory },
  ): In {
    const { guardChecks: checks, logger } = this.ports;
    return guarded(sent, outcome, { ...caller, checks, logger });
  }

  private captured<In extends Inbound>(inbound: In, outcome: Outcome, accountId: string): In | Failure {
    const declined = declinesCapture(inbound);
    if (declined instanceof Failure) return declined;
    if (declined) return inbound;
    const { requestId, atMs } = outcome;
    outcome.capture = this.ports.captures.open({ requestId, accountId, atMs });
    return overheard(inbound, outcome.capture);
  }

  private planned<T extends Target, S extends ResponseStream>({ job, principal, outcome }: Call<T, S>): readonly T[] {
    const { ways, stream, affinity = null } = job;
    const { clock, random, routing } = this.ports;
    const { account } = principal;
    outcome.mayUse({ platform: ways.targets.some(isOfPlatform) });
    if (outcome.guard !== null) outcome.guard.requireFor(job.modelId);
    const nowMs = clock.monotonicMs();
    const strategy = account.strategy ?? ways.model.strategy ?? routing.strategy;
    const targets = plan({ ways, accountId: account.id, strategy, stream, affinity, nowMs, random });
    return job.candidates?.(targets) ?? targets;
  }

  private async elsewhere<T extends Target, S extends ResponseStream>(
    routed: Routed<T, S>,
    looking: KnownResponse<T, S> | null | Failure | Promise<KnownResponse<T, S> | null | Failure>,
  ): Promise<Attempted<T, S>> {
    const known = await looking;
    routed.outcome.lookedUp();
    const { inbound, job } = routed;
    if (known === null && inbound.signal.aborted && job.outlivesClient !== true) {
      return new Failure('client_closed_request', { message: 'The client closed the connection.' });
    }
    if (known === null) return this.paid(routed);
    if (known instanceof Failure || known.hit?.pricePercent === undefined) return known;
    return (await reserve(this.ports.billing, routed)) ?? known;
  }

  /** Reserve: hold the amount that the call may cost. Attempt: ask one target after the other until one answers. */
  private paid<T extends Target, S extends ResponseStream>(routed: Routed<T, S>): Promise<Attempted<T, S>> {
    const reserving = reserve(this.ports.billing, routed);
    if (reserving instanceof Promise) return this.paidLater(routed, reserving);
    return reserving === null ? this.attempt(routed, routed.outcome) : Promise.resolve(reserving);
  }

  private async paidLater<T extends Target, S extends ResponseStream>(
    routed: Routed<T, S>,
    reserving: Promise<Failure | null>,
  ): Promise<Attempted<T, S>> {
    const refusal = await reserving;
    if (refusal !== null) return refusal;
    return routed.job.accepted === undefined ? this.attempt(routed, routed.outcome) : this.accepted(routed);
  }

  /** Answers the client once a target is asked. The attempts count as a call in progress until they end. */
  private accepted<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
  ): Promise<KnownResponse<T, S> | LoopResult<T, S> | NoResponse> {
    const { job, outcome } = call;
    const accepted = () => {
      if (job.accepted === undefined) throw new Error('the work of this job does not continue after its response');
      this.running++;
      return job.accepted();
    };
    return acceptedWork({
      ...{ job, outcome, accepted, onOver: this.onRecorded },
      attempts: (events) => this.attempt(call, events),
      failureOf: (noResponse) => this.usualFailure(call, noResponse),
      broken: (error) => internalError(this.ports.logger, outcome.requestId, error),
    });
  }

  private attempt<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    events: AttemptEvents,
  ): Promise<LoopResult<T, S> | NoResponse> {
    const { job, targets, inbound, outcome, principal, buffered } = call;
    const otherWires = job.otherWires ?? this.otherWires;
    const accountId = principal.account.id;
    const client = job.outlivesClient === true ? detachedClient(accountId) : new CallingClient(inbound, accountId);
    return new AttemptLoop(this.ports, {
      job,
      outcome: events,
      accountId,
      client,
      buffered,
      targets,
      otherWires,
      told: outcome.toldSteps,
      bounds: call.bounds ?? null,
    }).run();
  }

  /** Sends the response headers before the result of the attempts is known. */
  private late<T extends Target, S extends ResponseStream>(routed: Routed<T, S>, attempting: Promise<Attempted<T, S>>) {
    const concluding = attempting.then(async (attempted) => {
      const answer = await this.concluded(routed, attempted);
      return answer instanceof Failure ? answer : { call: routed, answer };
    });
    return this.responder.late(routed, concluding);
  }

  /** Leaves the failure to the operation if no target has answered. */
  private concluded<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    attempted: Attempted<T, S>,
  ): Concluded<T, S> | Promise<Concluded<T, S>> {
    if (attempted instanceof Failure) return attempted;
    if ('asked' in attempted) return this.withoutResponse(call, attempted);
    if ('running' in attempted) call.job.answeredBy?.(attempted.target);
    return attempted;
  }

  private withoutResponse<T extends Target, S extends ResponseStream>(call: Routed<T, S>, noResponse: NoResponse) {
    const otherwise = () => this.usualFailure(call, noResponse);
    return call.job.withoutResponse?.(noResponse, otherwise) ?? otherwise();
  }

  private usualFailure<T extends Target, S extends ResponseStream>(
    call: Routed<T, S>,
    noResponse: NoResponse,
  ): Failure {
    const { directory, principal, job } = call;
    const { alternatives, ports } = this;
    const of = { directory, principal, modelId: job.modelId, targets: job.ways.targets, alternatives };
    return withoutResponse(noResponse, { ...of, nowMs: ports.clock.monotonicMs() });
  }
}

/** Lets the capture and the trace of the call hear its answer. */
function notedBy(outbound: Outbound, { capture, trace, batch }: Outcome): Outbound {
  if (batch?.relay?.isTaken === true) {
    capture?.drop();
    return outbound;
  }
  const captured = capture === null ? outbound : noted(outbound, capture);
  const exchange = trace?.exchange ?? null;
  return exchange === null ? captured : noted(captured, exchange);
}

/** A class, because an accessor on an object literal made per request costs a tenth of the whole request. */
class CallingClient implements WaitingClient {
  constructor(
    private readonly inbound: WaitingClient,
    readonly accountId: string,
  ) {}

  get signal(): AbortSignal {
    return this.inbound.signal;
  }
}

/** Reserves the most that the call may cost. Returns why the account cannot pay for it, or `null` if it can or the call is free. */
function reserve<T extends Target, S extends ResponseStream>(
  billing: Billing,
  { job, principal, outcome }: Call<T, S>,
): null | Failure | Promise<null | Failure> {
  const { model, prices, targets } = job.ways;
  const bounds = job.bounds(model);
  if (bounds === null) return null;
  const mayUseOwn = targets.some(isOwn);
  const mayUsePlatform = targets.some(isOfPlatform);
  const { requestId, tags, batch } = outcome;
  const of = { requestId, principal, modelId: model.id, prices, mayUsePlatform, mayUseOwn, bounds, tags: tags.summed };
  outcome.trace?.mark();
  if (job.hold !== undefined) return batch === null ? held(outcome, job.hold(of)) : taskInBatch(model.id);
  const reserving = batch === null ? billing.reserve(of) : reserveBatched(billing, of, { batch, model });
  return reserving instanceof Promise ? reservedLater(outcome, reserving) : reserved(outcome, reserving);
}

async function reservedLater(outcome: Outcome, reserving: Promise<Reservation | Failure>): Promise<null | Failure> {
  return reserved(outcome, await reserving);
}

function reserved(outcome: Outcome, reservation: Reservation | Failure): null | Failure {
  outcome.trace?.passed('reserve', reservation);
  return outcome.reserved(reservation);
}

async function held(outcome: Outcome, holding: Promise<Failure | null>): Promise<null | Failure> {
  const refusal = await holding;
  outcome.trace?.passed('reserve', refusal);
  return refusal;
}

function isOwn({ isPrivate }: Pick<Target, 'isPrivate'>): boolean {
  return isPrivate;
}

function isOfPlatform({ isPrivate }: Pick<Target, 'isPrivate'>): boolean {
  return !isPrivate;
}
