import { allowsModel } from '../../domain/access/allow-list.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { GRANTED, type ModelStep } from '../../domain/routing/model-step.ts';
import type { Target } from '../directory/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { RoutingSettings } from '../settings/settings.ts';
import type { SharedBounds } from './attempt-loop.ts';
import type { Attempted, Concluded } from './concluded.ts';
import { type FallbackList, fallbacksOf, NO_FALLBACKS } from './fallback-list.ts';
import type { ResponseStream } from './lane.ts';
import type { BudgetModels, ChosenModel } from './model-choice.ts';
import { type NoResponse, saysUnable } from './no-channel.ts';
import type { Asking, Job } from './operation.ts';
import type { Call, LateAnswer, Routed } from './responder.ts';

/** The steps of a call that the chain repeats for each model. */
export interface ChainSteps<T extends Target, S extends ResponseStream> {
  /** Plans the targets of a routed job. */
  routed(call: Call<T, S>, bounds: SharedBounds): Routed<T, S>;
  /** Looks for a known answer, reserves, and asks the targets. */
  attempted(call: Routed<T, S>): Promise<Attempted<T, S>>;
  concluded(call: Routed<T, S>, attempted: Attempted<T, S>): Concluded<T, S> | Promise<Concluded<T, S>>;
  failureOf(call: Routed<T, S>, noResponse: NoResponse): Failure;
}

const NOT_ASKED: NoResponse = { failure: null, wasCutShort: false, asked: 0 };

export interface ChainPorts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly routing: Pick<RoutingSettings, 'maxAttempts' | 'deadlineMs'>;
}

export interface ChainInput<T extends Target, S extends ResponseStream> {
  readonly asking: Asking<T, S>;
  readonly list: FallbackList;
  /** The budgets that may lead to a cheaper model; `null` for none. */
  readonly budgets: BudgetModels | null;
  readonly call: Omit<Call<T, S>, 'job'>;
}

/**
 * Asks one model after the other until one answers, or a failure says that no other model could (docs/fallbacks.md). A model is routed,
 * looked up in the cache, reserved and charged as if the client had named it.
 */
export class FallbackChain<T extends Target, S extends ResponseStream> {
  private readonly startedMs: number;
  private asking: Asking<T, S>;
  private list: FallbackList;
  /** Leads to one other model at most. */
  private budgets: BudgetModels | null;
  /** The cheaper model that is to be asked next, because a budget has refused the last one. */
  private cheaper: ChosenModel | null = null;
  private asked = 0;
  /** The number of fallback models that were asked or skipped. */
  private taken = 0;
  /** The failure of the first model, which the client gets if no model answers. */
  private failure: Failure | null = null;
  /** Why the model that was asked last has not answered, and its context in tokens. */
  private reason: Failure | null = null;
  private contextTokens = 0;
  private tried: string[] = [];
  /** The model that was asked last. */
  private from: string;

  constructor(
    private readonly ports: ChainPorts,
    private readonly steps: ChainSteps<T, S>,
    private readonly input: ChainInput<T, S>,
  ) {
    this.startedMs = ports.clock.monotonicMs();
    this.asking = input.asking;
    this.list = input.list;
    this.budgets = input.budgets;
    this.from = input.asking.modelId ?? '';
  }

  /** Asks the routed model, and then the fallbacks. */
  async run(first: Job<T, S>): Promise<LateAnswer<T, S> | Failure> {
    for (let job: Job<T, S> | null = first; job !== null; job = await this.next()) {
      const answer = await this.ask(job);
      if (answer !== null) return answer;
    }
    return this.failed();
  }

  /** Returns the job of the first fallback, for a model that an operator has put on hold; its failure if no fallback can be asked. */
  async afterHeld(failure: Failure): Promise<Job<T, S> | Failure> {
    this.reason = failure;
    return (await this.next()) ?? failure;
  }

  /** Routes the next fallback that can be asked. Returns `null` if there is none, or if the bounds of the request are reached. */
  private async next(): Promise<Job<T, S> | null> {
    if (this.cheaper !== null) return this.budgeted(this.cheaper);
    const { modelIds } = this.list;
    while (this.taken < modelIds.length && !this.isOver()) {
      const modelId = modelIds[this.taken++] ?? '';
      const job = await this.routed(modelId);
      this.step(modelId, job instanceof Failure ? job : null);
      if (!(job instanceof Failure)) return job;
    }
    return null;
  }

  /** Routes the request for the cheaper model of a budget, whose own fallbacks then follow. Returns `null` if it cannot be routed. */
  private async budgeted({ modelId, reason }: ChosenModel): Promise<Job<T, S> | null> {
    this.cheaper = null;
    const { inbound, outcome, principal, directory } = this.input.call;
    const other = this.asking.withModel?.(modelId, GRANTED);
    if (other === undefined) throw new Error('a known answer keeps its model');
    const routing = other.route(directory);
    const job = routing instanceof Promise ? await routing : routing;
    outcome.trace?.passed('route', job);
    const step: ModelStep = { kind: 'budget', from: this.from, to: modelId, reason };
    if (job instanceof Failure) {
      outcome.stepped({ ...step, skipped: job.code });
      return null;
    }
    outcome.stepped(step);
    const list = fallbacksOf(other, job, { inbound, principal, directory });
    this.list = list === null || list instanceof Failure ? NO_FALLBACKS : list;
    this.asking = other;
    this.taken = 0;
    this.tried = [];
    // The refusal does not matter any more: the request is one for the cheaper model from now on.
    this.failure = null;
    return job;
  }

  /** Routes the request for another model. Returns why this model cannot be asked. */
  private async routed(modelId: string): Promise<Job<T, S> | Failure> {
    const { asking, list } = this;
    const { outcome, directory } = this.input.call;
    const other = asking.withModel?.(modelId, list.grant);
    if (other === undefined) throw new Error('a known answer has no fallbacks');
    const routing = other.route(directory);
    const job = routing instanceof Promise ? await routing : routing;
    // The trace has the way to the first model only; the later ones lie within the operation, whose attempts have spans.
    outcome.trace?.mark();
    if (job instanceof Failure || this.reason?.code !== 'context_length_exceeded') return job;
    const known = job.ways.model.capabilities?.contextTokens ?? null;
    return known === null || known > this.contextTokens ? job : this.reason;
  }

  /** Asks one model. Returns its answer or the failure that ends the call; `null` if the next model is to be asked. */
  private async ask(job: Job<T, S>): Promise<LateAnswer<T, S> | Failure | null> {
    // A submission that has failed may have reached its provider, so a task falls back only before it is submitted.
    const isTask = job.hold !== undefined;
    const modelsLeft = this.usableLeft();
    const modelsAfter = isTask ? 0 : modelsLeft;
    if (modelsAfter === 0 && this.budgets === null) job.asksNoOther?.();
    const bounds = { startedMs: this.startedMs, askedBefore: this.asked, modelsAfter };
    const call = this.steps.routed({ ...this.input.call, job }, bounds);
    this.from = job.modelId;
    this.tried.push(job.modelId);
    if (isTask && call.targets.length === 0 && modelsLeft > 0) {
      this.reason = this.steps.failureOf(call, NOT_ASKED);
      this.failure ??= this.reason;
      return null;
    }
    const attempted = await this.steps.attempted(call);
    const answer = await this.steps.concluded(call, attempted);
    if (!(answer instanceof Failure)) return { call, answer };
    const isAsked = !(attempted instanceof Failure) && 'asked' in attempted;
    if (isAsked) this.asked += attempted.asked;
    const refusal = isAsked ? refusalBefore(attempted) : answer;
    if (refusal !== null && this.isRefusedByBudget(refusal, job)) return null;
    // A refused reservation of a fallback must not hide why the first model has failed.
    const isRefused = this.failure !== null && answer.code !== 'client_closed_request';
    const mayFallBack = !isTask && (isAsked ? fallsBack(attempted) : isRefused);
    if (!mayFallBack) return answer;
    this.input.call.outcome.releaseReservation();
    this.failure ??= answer;
    this.reason = isAsked ? (attempted.failure ?? answer) : answer;
    this.contextTokens = Math.max(this.contextTokens, job.ways.model.capabilities?.contextTokens ?? 0);
    return null;
  }

  /** Returns the number of fallbacks that may follow. The list of an operator may name models that the key may not use. */
  private usableLeft(): number {
    const { list, taken } = this;
    const { models } = this.input.call.principal.credential;
    if (list.grant?.heedsKey !== true || models === null) return list.modelIds.length - taken;
    return list.modelIds.filter((id, index) => index >= taken && allowsModel(models, id)).length;
  }

  /** Returns whether a budget has refused the model and its cheaper model is to be asked in its place. */
  private isRefusedByBudget(refusal: Failure, { modelId }: Job<T, S>): boolean {
    this.cheaper = this.budgets?.afterRefusal(refusal, modelId, this.input.call) ?? null;
    if (this.cheaper === null) return false;
    this.budgets = null;
    this.failure ??= refusal;
    this.input.call.outcome.releaseReservation();
    return true;
  }

  /** Returns whether no other model may be asked: the client has left, or the attempts or the time of the request are used up. */
  private isOver(): boolean {
    const { clock, routing } = this.ports;
    const { inbound } = this.input.call;
    if (inbound.signal.aborted) {
      this.failure = new Failure('client_closed_request', { message: 'The client closed the connection.' });
      return true;
    }
    if (this.asked === 0) return false;
    return this.asked >= routing.maxAttempts || clock.monotonicMs() - this.startedMs >= routing.deadlineMs;
  }

  private step(to: string, skipped: Failure | null): void {
    const { from, reason } = this;
    const step: ModelStep = { kind: 'fallback', from, to, reason: reason?.code ?? 'all_channels_failed' };
    this.input.call.outcome.stepped(skipped === null ? step : { ...step, skipped: skipped.code });
  }

  private failed(): Failure {
    const { failure } = this;
    if (failure === null) throw new Error('a chain of models ended without a failure');
    this.input.call.outcome.names(this.from);
    const others = this.tried.slice(1);
    if (others.length === 0 || failure.code === 'client_closed_request') return failure;
    const { code, status, kind, side, retry, details } = failure;
    const models = others.map((id) => `\`${id}\``).join(', ');
    const message = `${details.message} The fallback ${others.length === 1 ? 'model' : 'models'} ${models} could not answer either.`;
    return new Failure(code, { ...details, status, kind, side, retry, message });
  }
}

/** Returns why nothing was sent, such as a budget that does not cover what a channel bills on top of the model's prices; `null` if it was. */
function refusalBefore({ asked, failure }: NoResponse): Failure | null {
  return asked === 0 ? failure : null;
}

/** Returns whether another model may succeed where all targets of this one have failed, before anything was sent to the client. */
function fallsBack({ failure }: NoResponse): boolean {
  if (failure === null || failure.code === 'context_length_exceeded') return true;
  if (failure.code === 'client_closed_request') return false;
  return failure.retry !== 'never' || saysUnable(failure);
}
