import { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { Billing } from '../ports/billing.ts';
import type { WaitingClient } from '../ports/upstream.ts';
import { acceptedWork } from './accepted-work.ts';
import { Alternatives } from './alternatives.ts';
import { type AttemptEvents, AttemptLoop, type LoopPorts, type LoopResult } from './attempt-loop.ts';
import type { Attempted, Concluded } from './concluded.ts';
import { internalError } from './end-of-call.ts';
import { type ChainInput, type ChainSteps, FallbackChain } from './fallback-chain.ts';
import type { ResponseStream } from './lane.ts';
import { type NoResponse, withoutResponse } from './no-channel.ts';
import type { Asking, Job, KnownResponse } from './operation.ts';
import { OtherWires } from './other-wires.ts';
import { plan } from './plan.ts';
import { answerGiven, givenJob } from './relayed-line.ts';
import { isOfPlatform, reserve } from './reserve.ts';
import type { Call, Outbound, Responder, ResponderPorts, Routed } from './responder.ts';
import { detachedClient } from './send.ts';

export interface CallStepsPorts extends LoopPorts, ResponderPorts {
  readonly billing: Billing;
}

/** Counts calls in progress. */
export interface CallProgress {
  began(): void;
  readonly ended: () => void;
}

/** The steps that calls take on their way (`call.ts`), once it is known what the client asks for. */
export class CallSteps {
  private readonly otherWires = new OtherWires();
  private readonly alternatives = new Alternatives();

  constructor(
    private readonly ports: CallStepsPorts,
    private readonly responder: Responder,
    private readonly progress: CallProgress,
  ) {}

  told<T extends Target, S extends ResponseStream>(
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
  async given<T extends Target, S extends ResponseStream>(
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
  async withFallbacks<T extends Target, S extends ResponseStream>(
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

  planned<T extends Target, S extends ResponseStream>({ job, principal, outcome }: Call<T, S>): readonly T[] {
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

  async elsewhere<T extends Target, S extends ResponseStream>(
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
  paid<T extends Target, S extends ResponseStream>(routed: Routed<T, S>): Promise<Attempted<T, S>> {
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
      this.progress.began();
      return job.accepted();
    };
    return acceptedWork({
      ...{ job, outcome, accepted, onOver: this.progress.ended },
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
  late<T extends Target, S extends ResponseStream>(routed: Routed<T, S>, attempting: Promise<Attempted<T, S>>) {
    const concluding = attempting.then(async (attempted) => {
      const answer = await this.concluded(routed, attempted);
      return answer instanceof Failure ? answer : { call: routed, answer };
    });
    return this.responder.late(routed, concluding);
  }

  /** Leaves the failure to the operation if no target has answered. */
  concluded<T extends Target, S extends ResponseStream>(
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
