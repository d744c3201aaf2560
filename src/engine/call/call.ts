import { Failure } from '../../domain/failure/failure.ts';
import { identityOf } from '../../domain/trace/call-identity.ts';
import type { Target } from '../directory/target.ts';
import { type AdmitPorts, admit } from './admit.ts';
import { CallSteps, type CallStepsPorts } from './call-steps.ts';
import { fallbacksOf, NO_FALLBACKS } from './fallback-list.ts';
import type { ResponseStream } from './lane.ts';
import { budgetModelsOf, choosesModels, chosenModel, type ModelChoicePorts } from './model-choice.ts';
import { type ObservedCallPorts, observedRequest, observedResponse } from './observed-call.ts';
import type { Inbound, Operation } from './operation.ts';
import { Outcome } from './outcome.ts';
import { type Call, type Outbound, Responder, type Routed } from './responder.ts';

export interface CallPorts extends AdmitPorts, CallStepsPorts, ModelChoicePorts, ObservedCallPorts {
  readonly newRequestId: () => string;
}

/**
 * The life of every call, for every operation (docs/life-of-a-request.md): admit → read → choose → route → known answer →
 * reserve → attempt → settle, answer and record. The steps that differ are supplied by the `Operation`.
 */
export class Calls {
  /** The open streams of calls, and the periodic checks that they need. */
  readonly responder: Responder;
  private readonly steps: CallSteps;
  private running = 0;
  private readonly onRecorded = () => {
    this.running--;
  };

  constructor(private readonly ports: CallPorts) {
    this.responder = new Responder(ports);
    this.steps = new CallSteps(ports, this.responder, { began: () => this.running++, ended: this.onRecorded });
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
    const observed = (outbound: Outbound) => observedResponse(outbound, outcome, this.responder, inbound.envelope);
    return this.walk(operation, inbound, outcome).then(observed, (error: unknown) =>
      observed(this.responder.broken(inbound.envelope, outcome, error)),
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
    const { ports, responder, steps } = this;
    const { envelope } = sent;

    // Admit: authenticate the caller and check its limits.
    const admitting = admit(ports, sent, outcome);
    const principal = admitting instanceof Promise ? await admitting : admitting;
    if (principal instanceof Failure) return responder.failed(envelope, outcome, principal);
    const inbound = observedRequest(ports, sent, outcome, principal);
    if (inbound instanceof Failure) return responder.failed(envelope, outcome, inbound);

    // Read: parse and check the request.
    const reading = operation.read(inbound, { principal, outcome });
    const asking = reading instanceof Promise ? await reading : reading;
    outcome.trace?.passed('read', asking);
    if (asking instanceof Failure) return responder.failed(envelope, outcome, asking);

    // Choose: rules and budgets may give the request to another model.
    const directory = ports.directory();
    if (outcome.batch?.relay?.given) return steps.given(asking, { inbound, outcome, principal, directory });
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
      return steps.withFallbacks(job, { asking: chosen, list: list ?? NO_FALLBACKS, budgets, call: of });
    }
    if (job instanceof Failure) return responder.failed(envelope, outcome, job);
    job.asksNoOther?.();
    const call: Call<T, S> = { inbound, outcome, principal, directory, job };
    const buffered = responder.buffered(call);
    const replayed = job.replayed?.();
    if (replayed !== undefined)
      return responder.known({ inbound, outcome, principal, directory, job, targets: [], buffered }, replayed);
    const targets = steps.planned(call);
    const routed: Routed<T, S> = { inbound, outcome, principal, directory, job, targets, buffered };

    // Known: an answer that needs no upstream, for example from a cache.
    const looking = job.known?.(routed.targets) ?? null;
    const known = looking instanceof Promise ? null : looking;
    if (known !== null) outcome.lookedUp();
    if (known instanceof Failure) return responder.failed(envelope, outcome, known);
    if (known !== null && known.hit?.pricePercent === undefined) return responder.known(routed, known);

    // An asynchronous lookup, and all that follows it, may take longer than the ping interval.
    const attempting = looking === null ? steps.paid(routed) : steps.elsewhere(routed, looking);
    const attempted = await responder.within(job, attempting);

    // Settle, answer, record.
    if (attempted === null) return steps.late(routed, attempting);
    const concluding = steps.concluded(routed, attempted);
    const answer = concluding instanceof Promise ? await concluding : concluding;
    return steps.told(routed, answer);
  }
}
