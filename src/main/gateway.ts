import type { WebSocketHandler } from 'bun';
import type { FamilySnapshot } from '../domain/metrics/snapshot.ts';
import { WrongKeys } from '../engine/access/wrong-keys.ts';
import type { LoadPorts } from '../engine/admin/channels/channel-load.ts';
import type { ProcessFigures } from '../engine/admin/status/process-figures.ts';
import { CallsInProgress, type RunningCall, type WantedRunning } from '../engine/call/calls-in-progress.ts';
import { ChannelLimiters } from '../engine/channel-limits/channel-limiters.ts';
import { DirectorySource } from '../engine/directory/directory-source.ts';
import { RoutingMemory } from '../engine/health/routing-memory.ts';
import { StoreWatch } from '../engine/health/store-watch.ts';
import { Limits } from '../engine/limits/limits.ts';
import { KnownServers } from '../engine/servers/known-servers.ts';
import { requestTarget } from '../formats/shared/request/request-target.ts';
import { providers } from '../providers/index.ts';
import { eventLoopTurns } from '../stores/shared/event-loop-turns.ts';
import { AccessLog } from '../transports/inference/access-log.ts';
import { ClientAddresses } from '../transports/inference/client-address.ts';
import { ClosingConnections } from '../transports/inference/closing-connections.ts';
import { Cors } from '../transports/inference/cors.ts';
import { echoing } from '../transports/inference/echoed-ids.ts';
import { Guard } from '../transports/inference/guard.ts';
import type { ResponseSockets } from '../transports/inference/response-sockets.ts';
import type { RouteHandler, Routes, ServerHandler } from '../transports/inference/route.ts';
import { type SocketHandler, socketServer } from '../transports/inference/socket-route.ts';
import { isManagement } from '../transports/management/base-path.ts';
import { OPS_PATHS } from '../transports/ops/ops.ts';
import { PrometheusMetrics } from '../transports/ops/prometheus.ts';
import { openTaskMetrics } from '../transports/ops/task-metrics.ts';
import { createAlerts } from './create-alerts.ts';
import { createBounds } from './create-bounds.ts';
import { type CallParts, type CallServices, createCalls, type Running } from './create-calls.ts';
import { createExports } from './create-exports.ts';
import { createInference, createReceiving } from './create-inference.ts';
import { measureParts } from './create-metrics.ts';
import { createOpenRoutes } from './create-open-routes.ts';
import { createOps } from './create-ops.ts';
import { type CreatedProbe, createProbe } from './create-probe.ts';
import { createStatus } from './create-status.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type KeptDirectory, keepDirectory } from './keep-directory.ts';
import { openManagement } from './open-management.ts';
import { startSuccessRates } from './start-success-rates.ts';
import { later, newRequestId, sleep } from './system.ts';

/** The delay with which `switchyard channels list` and `keys list` show figures, and idle wallets return leases. */
const RECORD_MS = 1_000;
/** How long a start waits for the servers of channels to be recognized. */
const LONGEST_RECOGNITION_MS = 500;

/** The wired gateway: the app that answers HTTP, and the functions to start and stop it. */
export interface Gateway {
  /** The endpoints that carry the traffic, for the server's own router. */
  readonly routes: Record<string, ServerHandler>;
  /** Handles all other paths. */
  readonly fetch: ServerHandler;
  /** Answers errors outside of both. */
  readonly error: (error: unknown) => Response;
  /** The handlers of WebSocket connections. */
  readonly websocket: WebSocketHandler<SocketHandler>;
  /** The calls in flight, for the shutdown. */
  readonly running: Running;
  /** Returns a chat model that the first key can use, or `null`. */
  firstChatModel(): string | null;
  /** Returns a model that can embed texts, or `null`. */
  firstEmbeddingModel(): string | null;
  /** Applies changes of the directory now; resolves to whether there were any. */
  refresh(): Promise<boolean>;
  /**
   * Makes answers close their connections; new requests are still answered.
   *
   * @param notReady the reason with which `/readyz` directs load balancers elsewhere; `null` if the gateway stays ready, because another of
   *   its processes has replaced this one
   */
  drain(notReady: string | null): void;
  /** Closes WebSockets that wait for a request and live views, the other WebSockets when they have answered. */
  closeSockets(): void;
  /** Resolves to this process's own metrics. */
  metrics(): Promise<readonly FamilySnapshot[]>;
  /** Returns this process's running calls. */
  runningCalls(wanted: WantedRunning): readonly RunningCall[];
  /** Returns this process's own part of `/status.json`. */
  figures(): ProcessFigures;
  close(): Promise<void>;
}

export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { clock, cache } = options;
  const parts = await createParts(options);
  const { source, metrics, wrongKeys, storeWatch } = parts;
  const receiving = createReceiving(options);
  const services = createCalls(options, { ...parts, bodies: receiving.bodyBudget });
  const successRates = await startSuccessRates(options);
  const kept = await keepParts(options, parts);
  const { refresh } = kept;
  const bounds = createBounds({ ...options, addresses: receiving.addresses, newRequestId });
  const alerts = createAlerts(options, metrics.registry);
  const exports = createExports(options, metrics.registry);
  const loopDelay = new EventLoopDelay(clock);
  const closing = new ClosingConnections();
  const notReady = () => closing.notReady ?? storeWatch.notReady ?? kept.problem;

  const { routes, fallback, delegated, responseSockets, cacheFeedback } = createInference(options, {
    ...parts,
    services,
    receiving,
    snapshot: successRates.current,
    managementRoutes: () => management.routes(),
  });
  const management = openManagement({
    ...options,
    addresses: receiving.addresses,
    principals: source.principals,
    wrongKeys,
    keyUsed: services.keyUsed,
    callerLimits: bounds.callerLimits,
    directory: () => source.current(),
    snapshot: successRates.current,
    ...{ delegated, cacheFeedback, alerts, exports, channelLoad: channelLoadOf(options, parts) },
    ...{ captures: services.captures, explainer: services.explainer, running: runningOfAll(options, parts) },
    ...{ runningTasks: services.tasks, node: kept.node, guardChecks: services.guardChecks },
    notReady,
    requestsInFlight: () => services.running.inFlight,
    eventLoopDelay: () => loopDelay.read(),
    refresh,
  });
  const { figures, ops } = createMonitoring(options, parts, { services, receiving, responseSockets, kept, notReady });
  const stopLooking = lookEverySecond(parts, services, [kept, cache.store, management.live, loopDelay, bounds]);
  await startWork(services);
  return {
    ...guarded(options, closing, {
      routes: { ...routes, ...bounds.open.all(createOpenRoutes(options, receiving, routes)) },
      fallback: bounds.open.around(fallback),
      management: management.handle,
      ops,
      probe: createProbe(options, receiving.addresses),
    }),
    websocket: socketServer(options.maxBodyBytes),
    running: services.running,
    firstChatModel: () => source.current().firstChatModel(),
    firstEmbeddingModel: () => source.current().firstModelFor('embeddings'),
    ...{ refresh, figures, runningCalls: (wanted) => parts.progress.oldest(wanted) },
    metrics: () => metrics.snapshot(),
    drain: (reason) => drained(closing, services, reason),
    closeSockets: () => {
      responseSockets.drain();
      management.live.close();
    },
    close: async () => {
      await kept.stop();
      await services.batches.runner.stop().finally(stopLooking);
      await Promise.all([services.tasks.stop(), alerts.stop(), exports.stop(), successRates.stop(), loopDelay.stop()]);
      await services.recordAll(true);
    },
  };
}

/** Begins the work that no client waits for. */
async function startWork({ tasks, batches }: CallServices): Promise<void> {
  await tasks.start();
  batches.runner.start();
}

function drained(closing: ClosingConnections, { batches }: CallServices, reason: string | null): void {
  closing.begin(reason);
  batches.runner.drain();
}

interface Monitored {
  readonly services: CallServices;
  readonly receiving: ReturnType<typeof createReceiving>;
  readonly responseSockets: ResponseSockets;
  readonly kept: KeptDirectory;
  readonly notReady: () => string | null;
}

/** Creates the routes of `OPS_PATHS`, and the figures of this process for those of other processes. */
function createMonitoring(
  options: GatewayOptions,
  parts: Parts,
  { services, receiving, responseSockets, kept, notReady }: Monitored,
) {
  const { source, metrics, wrongKeys } = parts;
  const { node } = kept;
  const { addresses } = receiving;
  const { channelLimits, memory } = parts;
  const measured = { metrics, receiving, services, responseSockets, channelLimits, memory };
  measureParts(options, { ...measured, directory: () => kept.figures });
  const requestsInFlight = () => services.running.inFlight;
  const directory = () => source.current();
  const { figures, status } = createStatus(options, { ...parts, node, notReady, requestsInFlight, directory });
  const { principals } = source;
  const tokens = { principals, wrongKeys, keyUsed: services.keyUsed };
  const own = () => metrics.snapshot();
  options.telemetry.pushMetrics(own);
  return { figures, ops: createOps({ ...options, ...tokens, metrics: own, notReady, status, addresses }) };
}

/** Returns a function that lists the running calls of all processes of this gateway. */
function runningOfAll({ runningOfAll }: GatewayOptions, { progress }: Parts) {
  return (wanted: WantedRunning) => runningOfAll(wanted, () => progress.oldest(wanted));
}

interface Parts extends CallParts {
  readonly servers: KnownServers;
}

/** Creates what all services share. */
async function createParts(options: GatewayOptions): Promise<Parts> {
  const { clock, logger, store, mediaStore, counters } = options;
  const memory = new RoutingMemory(clock, Math.random);
  memory.restore(await store.health.read(), await store.upstreamSpending.read());
  const { source, servers } = await openDirectory(options, memory);
  const metrics = new PrometheusMetrics(memory, mediaStore, options.accountMetrics);
  openTaskMetrics(metrics.registry, store.tasks, clock);
  return {
    source,
    servers,
    memory,
    metrics,
    progress: new CallsInProgress(clock),
    limits: new Limits({ counters }),
    channelLimits: createChannelLimits(options, source),
    wrongKeys: new WrongKeys({ clock, logger, metrics, perMinute: options.wrongKeysPerMinute }),
    storeWatch: new StoreWatch({ health: store.storeHealth, clock, logger }),
  };
}

/** Creates the limits of channels, which count with the counters that limit accounts. */
function createChannelLimits({ counters, clock, routing }: GatewayOptions, source: DirectorySource): ChannelLimiters {
  const channel = (id: string) => source.current().channelInUse(id);
  return new ChannelLimiters({ counters, clock, timer: later, channel, queue: routing.queue });
}

/** Returns what the management API reads of the limits of channels. */
function channelLoadOf({ counters }: GatewayOptions, { channelLimits: limiters, memory }: Parts): LoadPorts {
  return { counters, limiters, stated: (channelId) => memory.statedBy(channelId) };
}

async function openDirectory(options: GatewayOptions, memory: RoutingMemory) {
  const { store, logger } = options;
  const servers = new KnownServers(options);
  const ports = { memory, servers, providers, logger, turns: eventLoopTurns };
  const source = await DirectorySource.open({ store: store.directory, ...ports });
  servers.changed = (owner) => source.outdate(owner);
  await nearServersKnown(servers);
  return { source, servers };
}

/** Waits briefly until the servers on this machine and network are recognized, so that the first requests already follow their rules. */
async function nearServersKnown(servers: KnownServers): Promise<void> {
  const isKnown = new AbortController();
  await Promise.race([servers.nearOnesKnown(), sleep(LONGEST_RECOGNITION_MS, isKnown.signal)]);
  isKnown.abort();
}

function keepParts({ store, mediaStore: media, logger, clock }: GatewayOptions, { source, storeWatch }: Parts) {
  return keepDirectory({ source, store: storeWatch, nodes: store.nodes, media, logger, clock });
}

/** Repeats the periodic work of all parts. Returns a function that stops it. */
function lookEverySecond(
  { wrongKeys, storeWatch, servers }: Parts,
  { calls, realtime, recordAll }: CallServices,
  others: readonly { look(): unknown }[],
): () => void {
  const watched = [calls.responder, realtime, storeWatch, servers, ...others];
  const timer = setInterval(() => {
    wrongKeys.report();
    for (const one of watched) void one.look();
    void recordAll(false);
  }, RECORD_MS);
  return () => clearInterval(timer);
}

/** The handlers of all requests, unguarded. */
interface Handlers {
  readonly routes: Routes;
  readonly ops: ServerHandler;
  readonly probe: CreatedProbe;
  readonly management: ServerHandler;
  /** Handles all other paths. */
  readonly fallback: RouteHandler;
}

/** Puts the guard and the echo of ids around all handlers, and CORS around all but those for operators' monitoring. */
function guarded(
  { logger, corsOrigins, accessLog, clock, trustedProxies }: GatewayOptions,
  closing: ClosingConnections,
  handlers: Handlers,
): Pick<Gateway, 'routes' | 'fetch' | 'error'> {
  const guard = new Guard({ newRequestId, logger });
  const cors = new Cors(corsOrigins);
  const addresses = new ClientAddresses(trustedProxies);
  const around = (handler: ServerHandler) => echoing(guard.around(handler));
  const ops = around(handlers.ops);
  const probe = around(handlers.probe.handler);
  const management = cors.around(around(handlers.management));
  const fallback = cors.around(around(handlers.fallback));
  const routes = Object.entries(handlers.routes).map(([path, handler]) => [path, around(handler)] as const);
  const log = accessLog === null ? null : new AccessLog({ nowMs: () => clock.nowMs(), write: accessLog, addresses });
  const logged = (handler: ServerHandler) => log?.around(handler) ?? handler;
  const all = closing.all(cors.all(Object.fromEntries(routes)));
  return {
    routes: log?.all(all) ?? all,
    fetch: logged(
      closing.around((request, connections) => {
        const { path, query } = requestTarget(request.url);
        if (handlers.probe.admits(path, query)) return probe(request, connections);
        const handler = OPS_PATHS.has(path) ? ops : isManagement(path) ? management : fallback;
        return handler(request, connections);
      }),
    ),
    error: (error) => closing.mark(guard.lastResort(error)),
  };
}
