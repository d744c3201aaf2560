import type { Credential } from '../domain/access/api-key.ts';
import type { Failure } from '../domain/failure/failure.ts';
import { KeyUseRecorder } from '../engine/access/key-use-recorder.ts';
import type { WrongKeys } from '../engine/access/wrong-keys.ts';
import type { BodyMemory } from '../engine/batches/line-bodies.ts';
import { AccountBilling } from '../engine/billing/account-billing.ts';
import { HoldBilling } from '../engine/billing/durable-billing.ts';
import type { Wallets } from '../engine/billing/wallets.ts';
import type { AdmitPorts } from '../engine/call/admit.ts';
import type { LoopPorts } from '../engine/call/attempt-loop.ts';
import { BudgetChooser } from '../engine/call/budget-chooser.ts';
import { Calls } from '../engine/call/call.ts';
import type { CallsInProgress } from '../engine/call/calls-in-progress.ts';
import { keyCostOf } from '../engine/call/key-cost.ts';
import type { ModelChoicePorts } from '../engine/call/model-choice.ts';
import type { RecordPorts } from '../engine/call/record-ports.ts';
import { ResponseMemory } from '../engine/call/response-memory.ts';
import { RuleChooser } from '../engine/call/rule-chooser.ts';
import { TagValues } from '../engine/call/tag-values.ts';
import { Captures } from '../engine/captures/captures.ts';
import type { ChannelLimiters } from '../engine/channel-limits/channel-limiters.ts';
import { ChannelProbes } from '../engine/channel-tests/channel-probes.ts';
import { Suspicions } from '../engine/channel-tests/suspicion.ts';
import type { Directory } from '../engine/directory/directory.ts';
import type { DirectorySource } from '../engine/directory/directory-source.ts';
import { ObjectMemory } from '../engine/directory/object-memory.ts';
import type { AskedTarget } from '../engine/directory/target.ts';
import type { EndpointExplainer } from '../engine/explanation/endpoint-explainer.ts';
import type { GuardChecks } from '../engine/guards/guard-check.ts';
import { SpendingRecorder } from '../engine/health/key-spendings.ts';
import { HealthRecorder, type RoutingMemory } from '../engine/health/routing-memory.ts';
import type { StoreWatch } from '../engine/health/store-watch.ts';
import type { Limits } from '../engine/limits/limits.ts';
import { createOperations, type Operations } from '../engine/operations/index.ts';
import { ChannelSearching } from '../engine/operations/search/channel-searching.ts';
import { type TextPorts, TextServices } from '../engine/operations/text/text-services.ts';
import type { QueueFigures } from '../engine/ports/figures.ts';
import { Realtime } from '../engine/relay/realtime.ts';
import { Relays } from '../engine/relay/relays.ts';
import { Tasks, type TasksPorts } from '../engine/tasks/tasks.ts';
import { providers } from '../providers/index.ts';
import type { PrometheusMetrics } from '../transports/ops/prometheus.ts';
import { SocketUpstream } from '../upstream/socket-upstream.ts';
import { blockRefusedChannel } from './block-refused-channel.ts';
import { type BatchServices, createBatches } from './create-batches.ts';
import { createCache } from './create-cache.ts';
import { createExplainer } from './create-explainer.ts';
import { createGuardChecks } from './create-guard-checks.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { newId, newRequestId, newTaskId } from './system.ts';

/** The parts of the gateway that calls share with the other services. */
export interface CallParts {
  readonly source: DirectorySource;
  readonly memory: RoutingMemory;
  readonly metrics: PrometheusMetrics;
  readonly progress: CallsInProgress;
  readonly limits: Limits;
  readonly channelLimits: ChannelLimiters;
  readonly wrongKeys: WrongKeys;
  readonly storeWatch: StoreWatch;
}

/** The calls in flight. */
export interface Running {
  readonly inFlight: number;
  /** The number of streams whose clients have not received the end. */
  readonly openStreams: number;
  cutOff(failure: Failure): void;
}

/** The services that answer calls, and the writers of what they collect. */
export interface CallServices {
  readonly calls: Calls;
  readonly operations: Operations;
  readonly relays: Relays;
  readonly realtime: Realtime;
  readonly explainer: EndpointExplainer;
  readonly texts: TextServices;
  readonly tasks: Tasks;
  readonly batches: BatchServices;
  readonly captures: Captures;
  readonly answers: ResponseMemory;
  readonly guardChecks: GuardChecks;
  readonly wallets: Wallets;
  readonly running: Running;
  readonly keyUsed: (credential: Credential) => void;
  readonly keyUseQueue: () => QueueFigures;
  /** Writes what was collected, and returns idle leases; with `isLast`, all that no request uses. */
  recordAll(isLast: boolean): Promise<unknown>;
}

export function createCalls(options: GatewayOptions, parts: CallParts & { readonly bodies: BodyMemory }): CallServices {
  const { clock, logger, store, upstream, maxSocketsPerAccount } = options;
  const { limits, wrongKeys, metrics, source, channelLimits } = parts;
  const { principals } = source;
  const { objects, requestLog: log } = store;
  const directory = () => source.current();
  const health = new HealthRecorder(parts.memory, store.health, logger);
  const spending = new SpendingRecorder(parts.memory.spendings, { store: store.upstreamSpending, clock, logger });
  const keyUse = new KeyUseRecorder({ store: store.keyUse, clock, logger });
  const captures = new Captures({ store: store.captures, logger });
  const keyUsed = (credential: Credential) => keyUse.used(credential);
  const recorders = [health, spending, keyUse, captures];
  const { billing, durableBilling } = createBilling(options, parts);
  const { suspectChannel, probeChannel } = createChannelChecks(options, directory);
  const answers = new ResponseMemory(options.responseMemory);

  const admit: AdmitPorts = { principals, limits, clock, keyUsed, wrongKeys };
  const tagValues = new TagValues();
  const { progress } = parts;
  const record: RecordPorts = {
    ...{ clock, log, metrics, progress, logger, tagValues, endUsers: options.endUsers, tracing: options.tracing },
    ...{ forwardIds: options.ids.forwardIds, costInAnswers: options.routing.costInAnswers },
  };
  const { routing, sleep } = options;
  const random = Math.random;
  const attempt: LoopPorts = { clock, metrics, upstream, routing, sleep, random, suspectChannel, probeChannel };
  const budgetModels = new BudgetChooser({ wallets: billing.wallets, clock, settings: options.billing });
  const choice: ModelChoicePorts = { modelRules: new RuleChooser(), budgetModels };
  // A chat request could not probe another API.
  const probes = { suspectChannel, probeChannel: () => undefined };
  const relay = { ...probes, channelLimits, directory, objects, billing, newRequestId };

  const guardChecks = createGuardChecks(options.alerting, { ...attempt, channelLimits, directory, answers });
  const calls = new Calls({
    ...admit,
    ...record,
    ...attempt,
    channelLimits,
    answers,
    pings: options.pings,
    directory,
    billing,
    ...{ newRequestId, captures, guardChecks, ...choice },
  });
  const cache = createCache(options.cache, metrics.cache, { ...attempt, directory, answers, logger });
  const texts = createTexts(options, { directory, answers, cache }, { ...attempt, channelLimits });
  const spent = countTasks(parts.memory, directory);
  const owner = newId('node_');
  const tasks = createTasks(options, { directory, metrics, answers, billing: durableBilling, spent, owner });
  const sockets = new SocketUpstream(options.upstreamGuard);
  const relays = new Relays({ ...admit, ...record, ...relay, upstream });
  const realtime = new Realtime({ ...admit, ...record, ...relay, sockets, maxSocketsPerAccount });
  const operations = createOperations(texts, tasks);
  const own = { calls, operations, owner, bodies: parts.bodies, durableBilling, upstream, directory };
  const batches = createBatches(options, { ...own, lineEnded: (outcome) => metrics.batchLineEnded(outcome) });
  return {
    calls,
    operations,
    batches,
    relays,
    realtime,
    explainer: createExplainer(options, { directory, texts, tasks, billing, channelLimits, choice }),
    ...{ texts, tasks, captures, answers, guardChecks },
    wallets: billing.wallets,
    running: runningOf({ calls, relays, realtime, channelLimits }),
    keyUsed,
    keyUseQueue: () => keyUse.queue,
    recordAll: (isLast) => Promise.all([...recorders.map((one) => one.record()), billing.wallets.giveBackIdle(isLast)]),
  };
}

function createTexts(
  options: GatewayOptions,
  parts: Pick<TextPorts, 'directory' | 'answers' | 'cache'>,
  loop: LoopPorts,
): TextServices {
  const { clock, logger, store, upstream, sealing, conversationState, mediaStore, responseQuota } = options;
  return new TextServices({
    searching: new ChannelSearching({ ...loop, ...parts, settings: options.search }),
    ...parts,
    clock,
    logger,
    upstream,
    sealing,
    conversationState,
    media: options.mediaFetcher,
    mediaStore,
    responses: store.responses,
    responseQuota,
    objects: store.objects,
    newId,
  });
}

/** Creates the task engine. Each process that shares the store has its own name. */
function createTasks(
  options: GatewayOptions,
  parts: Pick<TasksPorts, 'directory' | 'metrics' | 'answers' | 'billing' | 'spent' | 'owner'>,
): Tasks {
  const { clock, logger, store, upstream, mediaStore, every, tracing } = options;
  return new Tasks({
    ...parts,
    ...{ clock, logger, upstream, tracing },
    tasks: store.tasks,
    log: store.requestLog,
    objects: new ObjectMemory({ objects: store.objects, clock, logger }),
    forwardIds: options.ids.forwardIds,
    media: options.mediaFetcher,
    mediaStore,
    settings: options.tasks,
    random: Math.random,
    every,
    newTaskId,
  });
}

/** Counts completed tasks against the spend caps of their upstream keys. */
function countTasks({ spendings }: RoutingMemory, directory: () => Directory): NonNullable<TasksPorts['spent']> {
  return (task, target, work) => {
    const way = directory().jobWay(target, task.modelId);
    if (way === null) return;
    spendings.at(way.place)?.add(keyCostOf(way, { ...work, modelId: task.modelId, atMs: task.createdAtMs }));
  };
}

function createBilling({ clock, logger, store, billing: settings }: GatewayOptions, parts: CallParts) {
  const { ledger, holds, heldCharges } = store;
  const ports = { store: parts.storeWatch, ledger, heldCharges, metrics: parts.metrics, clock, logger, settings };
  const billing = new AccountBilling(ports);
  return { billing, durableBilling: new HoldBilling({ ...ports, holds }, billing.wallets) };
}

/** Creates the gateway's own requests, which find out whether a channel fails for all accounts. */
function createChannelChecks(options: GatewayOptions, directory: () => Directory) {
  const { upstream, clock, logger } = options;
  const confirmed = (target: AskedTarget, reason: string) => void blockRefusedChannel(options, target, reason);
  const suspicions = new Suspicions({ upstream, clock, providers, directory, confirmed });
  const probes = new ChannelProbes({ upstream, clock, logger, providers, directory });
  return {
    suspectChannel: (target: AskedTarget, failure: Failure) => suspicions.check(target, failure),
    probeChannel: (target: AskedTarget, stream: boolean) => probes.probe(target, stream),
  };
}

function runningOf(
  services: Pick<CallServices, 'calls' | 'relays' | 'realtime'> & Pick<CallParts, 'channelLimits'>,
): Running {
  const { calls, relays, realtime, channelLimits } = services;
  return {
    get inFlight() {
      return calls.inFlight + relays.inFlight + realtime.inFlight;
    },
    get openStreams() {
      return calls.responder.openStreams;
    },
    cutOff: (failure) => {
      channelLimits.stop();
      calls.responder.cutOff(failure);
      realtime.cutOff(failure);
    },
  };
}
