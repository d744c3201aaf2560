import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { examineRules } from '../../domain/routing/choose-model.ts';
import { MOST_RULE_STEPS } from '../../domain/routing/model-rule.ts';
import type { Strategy } from '../../domain/routing/order.ts';
import { identityOf } from '../../domain/trace/call-identity.ts';
import { TAGS_HEADER } from '../../domain/usage/request-tags.ts';
import type { AccountBilling, EstimatedReservation } from '../billing/account-billing.ts';
import { type FallbackList, fallbacksOf } from '../call/fallback-list.ts';
import type { ResponseStream } from '../call/lane.ts';
import { type ChoosingCall, chosenModel, type ModelChoicePorts } from '../call/model-choice.ts';
import type { Asking, Inbound, Job, Operation } from '../call/operation.ts';
import { Outcome } from '../call/outcome.ts';
import type { RecordPorts } from '../call/record-ports.ts';
import { CallFacts, ruleModels } from '../call/rule-chooser.ts';
import type { ChannelLimiters } from '../channel-limits/channel-limiters.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { RoutingSettings } from '../settings/settings.ts';
import { dryRecord } from './dry-ports.ts';
import { explainedTargets } from './explained-targets.ts';
import type { ExaminedModel, ExplainedTarget, Explanation } from './explanation.ts';

export interface ExplainerPorts extends ModelChoicePorts, Pick<RecordPorts, 'clock' | 'endUsers'> {
  readonly directory: () => Directory;
  readonly billing: Pick<AccountBilling, 'estimate'>;
  readonly routing: RoutingSettings;
  readonly channelLimits: Pick<ChannelLimiters, 'runningAt' | 'waitingFor'>;
  readonly newRequestId: () => string;
}

/** A request to explain, with an operation of `createOperations` over dry services. */
export interface AskedExplanation<In extends Inbound, T extends Target, S extends ResponseStream> {
  readonly operation: Operation<In, T, S>;
  readonly inbound: In;
  readonly principal: Principal;
  /** When the request is assumed to arrive, in milliseconds since 1970; `null` for now. */
  readonly atMs: number | null;
}

type Found = Pick<Explanation, 'examined'> &
  Partial<Pick<Explanation, 'failure' | 'fallbacks' | 'strategy' | 'targets' | 'reservation' | 'modelId' | 'stream'>>;

/**
 * Explains what would happen to a request, by taking the steps of a call up to the first attempt. Nothing is sent, reserved, counted or
 * recorded, and neither rotations nor the health of channels change.
 */
export class RoutingExplainer {
  constructor(private readonly ports: ExplainerPorts) {}

  async explain<In extends Inbound, T extends Target, S extends ResponseStream>(
    asked: AskedExplanation<In, T, S>,
  ): Promise<Explanation> {
    const { ports } = this;
    const { inbound, principal, atMs } = asked;
    const clock = { monotonicMs: () => ports.clock.monotonicMs(), nowMs: () => atMs ?? ports.clock.nowMs() };
    const record = dryRecord({ clock, endUsers: ports.endUsers });
    const outcome = new Outcome(record, identityOf(ports.newRequestId(), inbound), inbound.envelope.name);
    outcome.admittedAs(principal);
    try {
      const refusal = outcome.taggedBy(inbound.header(TAGS_HEADER));
      const reading = refusal ?? (await asked.operation.read(inbound, { principal, outcome }));
      const found =
        reading instanceof Failure ? { examined: [], failure: reading } : await this.found(asked, reading, outcome);
      const requestedModel = reading instanceof Failure ? null : reading.modelId;
      return {
        ...{ requestedModel, modelId: null, format: inbound.envelope.name, stream: false, steps: outcome.modelSteps },
        ...{ fallbacks: [], failure: null, strategy: null, targets: [], reservation: null },
        ...found,
      };
    } finally {
      // Releases what reading and translating the request hold.
      outcome.record();
    }
  }

  private async found<In extends Inbound, T extends Target, S extends ResponseStream>(
    { inbound, principal }: AskedExplanation<In, T, S>,
    asking: Asking<T, S>,
    outcome: Outcome,
  ): Promise<Found> {
    const directory = this.ports.directory();
    const call = { principal, outcome, directory, format: inbound.envelope.name };
    // While the ledger is away, the explanation has what this process knows.
    await this.ports.budgetModels?.learn(principal).catch(() => {});
    const chosen = await chosenModel(this.ports, asking, call);
    const examined = await examinedModels(asking, call);
    if (chosen instanceof Failure) return { examined, failure: chosen };
    const first = await chosen.route(directory);
    const named = chosen === asking ? null : asking.modelId;
    const list = fallbacksOf(chosen, first, { inbound, principal, directory, named });
    if (list instanceof Failure) return { examined, failure: list, modelId: chosen.modelId };
    const fallbacks = list?.modelIds ?? [];
    const job = first instanceof Failure ? await firstRouted(chosen, first, list, directory) : first;
    if (job instanceof Failure) return { examined, fallbacks, failure: job, modelId: chosen.modelId };
    const { modelId, stream, ways } = job;
    const { account } = principal;
    const strategy = strategyOf(this.ports.routing, account.strategy, ways.model.strategy);
    const nowMs = this.ports.clock.monotonicMs();
    const { channelLimits: limits } = this.ports;
    const targets = await explainedTargets({ job, accountId: account.id, strategy: strategy.name, nowMs, limits });
    const reservation = this.reservation(job, principal, outcome);
    const failure = reservation instanceof Failure ? reservation : refusalOf(targets);
    return {
      ...{ examined, modelId, stream, strategy, targets, fallbacks, failure },
      reservation: reservation instanceof Failure ? null : reservation,
    };
  }

  private reservation<T extends Target, S extends ResponseStream>(
    job: Job<T, S>,
    principal: Principal,
    { requestId }: Outcome,
  ): EstimatedReservation | Failure | null {
    const { model, prices, targets } = job.ways;
    const bounds = job.bounds(model);
    if (bounds === null) return null;
    const mayUseOwn = targets.some(({ isPrivate }) => isPrivate);
    const mayUsePlatform = targets.some(({ isPrivate }) => !isPrivate);
    return this.ports.billing.estimate({
      ...{ requestId, principal, modelId: model.id, prices, mayUsePlatform, mayUseOwn, bounds },
    });
  }
}

/** Routes the first fallback that can be asked, for a model that is on hold. Returns the model's own failure if there is none. */
async function firstRouted<T extends Target, S extends ResponseStream>(
  asking: Asking<T, S>,
  failure: Failure,
  list: FallbackList | null,
  directory: Directory,
): Promise<Job<T, S> | Failure> {
  for (const modelId of list?.modelIds ?? []) {
    const job = await asking.withModel?.(modelId, list?.grant ?? null).route(directory);
    if (job !== undefined && !(job instanceof Failure)) return job;
  }
  return failure;
}

/** Returns the rules of each virtual model on the way of the request, as far as it goes. */
async function examinedModels<T extends Target, S extends ResponseStream>(
  asking: Asking<T, S>,
  call: ChoosingCall,
): Promise<readonly ExaminedModel[]> {
  const { directory, principal } = call;
  const request = asking.facts?.();
  const models = ruleModels(directory, principal);
  const examined: ExaminedModel[] = [];
  if (request === undefined || asking.modelId === null) return examined;
  const facts = new CallFacts(request, call);
  if (models.rulesOf(asking.modelId) !== null) await request.withPast?.();
  for (let modelId: string | undefined = asking.modelId; modelId !== undefined && examined.length < MOST_RULE_STEPS; ) {
    const rules = models.rulesOf(modelId);
    if (rules === null) break;
    const of: ExaminedModel = { modelId, rules: examineRules(modelId, rules, facts, models) };
    examined.push(of);
    const next = of.rules.find(({ verdict }) => verdict === 'taken')?.model;
    modelId = next === modelId ? undefined : next;
  }
  return examined;
}

/** The strategy in the order in which it is looked up: the account's, the model's, the default. */
function strategyOf(routing: RoutingSettings, account: Strategy | null, model: Strategy | null) {
  if (account !== null) return { name: account, from: 'account' as const };
  return model === null
    ? { name: routing.strategy, from: 'default' as const }
    : { name: model, from: 'model' as const };
}

/** Returns the failure of a request that no target can take: the first problem that one names, else that all are out of rotation. */
function refusalOf(targets: readonly ExplainedTarget[]): Failure | null {
  if (targets.some(({ position }) => position !== null)) return null;
  const problem = targets.find((target) => target.problem !== null)?.problem;
  return problem ?? new Failure('all_channels_failed', { message: 'No channel can be asked for the model now.' });
}
