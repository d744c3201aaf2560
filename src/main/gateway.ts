import type { WebSocketHandler } from 'bun';
import { Hono } from 'hono';
import type { Logger as PinoLogger } from 'pino';
import type { Credential } from '../domain/access/api-key.ts';
import type { AddressRange } from '../domain/access/network-address.ts';
import type { ObjectQuotas } from '../domain/access/object-quotas.ts';
import { Failure } from '../domain/failure/failure.ts';
import { type IdentifyPorts, identify } from '../engine/access/authenticate.ts';
import type { Caller } from '../engine/access/caller.ts';
import { KeyUseRecorder } from '../engine/access/key-use-recorder.ts';
import { WrongKeys } from '../engine/access/wrong-keys.ts';
import type { LiveCursors } from '../engine/admin/requests/live-requests.ts';
import type { SettingsInForce } from '../engine/admin/settings/settings.ts';
import { AccountBilling } from '../engine/billing/account-billing.ts';
import { HoldBilling } from '../engine/billing/durable-billing.ts';
import { AnswerMemory } from '../engine/call/answer-memory.ts';
import { Calls } from '../engine/call/call.ts';
import { TagValues } from '../engine/call/tag-values.ts';
import { Captures } from '../engine/captures/captures.ts';
import { ChannelProbes } from '../engine/channel-tests/channel-probes.ts';
import { Suspicions } from '../engine/channel-tests/suspicion.ts';
import type { Directory } from '../engine/directory/directory.ts';
import { DirectorySource } from '../engine/directory/directory-source.ts';
import type { AskedTarget } from '../engine/directory/target.ts';
import { HealthRecorder, RoutingMemory } from '../engine/health/routing-memory.ts';
import { StoreWatch } from '../engine/health/store-watch.ts';
import { Limits } from '../engine/limits/limits.ts';
import { Models } from '../engine/model-listing/models.ts';
import type { PageTokens } from '../engine/model-listing/page-token.ts';
import { createOperations, type Operations } from '../engine/operations/index.ts';
import type { TextInbound } from '../engine/operations/text/inbound.ts';
import { TextServices } from '../engine/operations/text/text-services.ts';
import type { AnswerMemorySettings } from '../engine/ports/answer-memory.ts';
import type { Clock, Every, Sleep } from '../engine/ports/clock.ts';
import type { ConversationState, Sealing } from '../engine/ports/conversation-state.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import type { MediaFetcher } from '../engine/ports/media-fetcher.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import type { ResponseKeeping } from '../engine/ports/response-store.ts';
import type { Store } from '../engine/ports/store.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import { Realtime } from '../engine/relay/realtime.ts';
import { Relays } from '../engine/relay/relays.ts';
import { KnownServers } from '../engine/servers/known-servers.ts';
import type {
  AlertSettings,
  BillingSettings,
  ListingSettings,
  PingSettings,
  RetentionSettings,
  RoutingSettings,
  TaskSettings,
} from '../engine/settings/settings.ts';
import { StoredResponses } from '../engine/stored-responses/stored-responses.ts';
import { TaskReader } from '../engine/tasks/read-task.ts';
import type { Tasks } from '../engine/tasks/tasks.ts';
import { requestTarget } from '../formats/shared/request/request-target.ts';
import { openaiChat } from '../formats/text/openai-chat/index.ts';
import { openaiResponses } from '../formats/text/openai-responses/index.ts';
import { providers } from '../providers/index.ts';
import { eventLoopTurns } from '../stores/shared/event-loop-turns.ts';
import { BodyBudget } from '../transports/inference/body-budget.ts';
import { ClientAddresses } from '../transports/inference/client-address.ts';
import { Cors, type CorsOrigins } from '../transports/inference/cors.ts';
import { failureResponse } from '../transports/inference/failure-response.ts';
import type { UploadFolder } from '../transports/inference/form/upload-folder.ts';
import { Guard } from '../transports/inference/guard.ts';
import { inferenceRoutes } from '../transports/inference/inference.ts';
import { methodNotAllowed } from '../transports/inference/method-not-allowed.ts';
import { ResponseSockets } from '../transports/inference/response-sockets.ts';
import type { ServerHandler } from '../transports/inference/route.ts';
import { type SocketHandler, socketServer } from '../transports/inference/socket-route.ts';
import { MetricsAccess } from '../transports/ops/metrics-access.ts';
import { OPS_PATHS, opsRoutes } from '../transports/ops/ops.ts';
import { PrometheusMetrics } from '../transports/ops/prometheus.ts';
import { openTaskMetrics } from '../transports/ops/task-metrics.ts';
import { SocketUpstream } from '../upstream/socket-upstream.ts';
import type { UpstreamGuard } from '../upstream/upstream-guard.ts';
import { blockRefusedChannel } from './block-refused-channel.ts';
import { createAlerts } from './create-alerts.ts';
import { createBounds } from './create-bounds.ts';
import { createCache, createCacheFeedback, type OpenCache } from './create-cache.ts';
import type { DashboardSettings } from './create-dashboard.ts';
import { createManagement, isManagement } from './create-management.ts';
import { createOpenRoutes } from './create-open-routes.ts';
import { createOpenApi } from './create-openapi.ts';
import type { People } from './create-people.ts';
import { createTasks } from './create-tasks.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { keepDirectory } from './keep-directory.ts';
import { startSuccessRates } from './start-success-rates.ts';
import { newId, newRequestId, sleep } from './system.ts';

export interface GatewayOptions {
  readonly clock: Clock;
  /** Waits before a retry of an upstream. */
  readonly sleep: Sleep;
  /** Schedules the work on tasks. */
  readonly every: Every;
  readonly store: Store;
  readonly sealing: Sealing;
  readonly counters: RateCounters;
  readonly conversationState: ConversationState;
  readonly logger: PinoLogger;
  readonly maxBodyBytes: number;
  /** The limit for a file that is passed through. */
  readonly maxUploadBytes: number;
  readonly maxSocketsPerAccount: number;
  /** The limit for all requests in flight. */
  readonly bodyMemoryBytes: number;
  readonly metricsToken: string | null;
  /** Resolves to the metrics of all serving processes, given this one's own; to these if there is only one process. */
  readonly metricsOfAll: (own: () => Promise<string>) => Promise<string>;
  readonly trustedProxies: readonly AddressRange[];
  readonly publicUrl: string | null;
  readonly corsOrigins: CorsOrigins;
  readonly wrongKeysPerMinute: number;
  /** The limit per person or token. */
  readonly managementRequestsPerMinute: number;
  /** The limit per address without a session or a token, for the management API. */
  readonly anonymousRequestsPerMinute: number;
  /** The limit of concurrent requests per address to what is public. */
  readonly anonymousRequestsInFlight: number;
  readonly answerMemory: AnswerMemorySettings;
  readonly pings: PingSettings;
  readonly responseQuota: ResponseKeeping;
  readonly routing: RoutingSettings;
  readonly billing: BillingSettings;
  readonly listing: ListingSettings;
  readonly quotas: ObjectQuotas;
  readonly tasks: TaskSettings;
  readonly retention: RetentionSettings;
  readonly alerting: AlertSettings;
  /** `null` if no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly cache: OpenCache;
  /** The settings with which the process has started, as operators may read them. */
  readonly settingsInForce: SettingsInForce;
  /** Returns `null` if no Redis is configured. */
  readonly redisState: () => 'reachable' | 'away' | null;
  readonly pageTokens: PageTokens;
  /** The cursors of clients that watch the request log. */
  readonly liveCursors: LiveCursors;
  readonly people: People;
  readonly dashboard: DashboardSettings;
  readonly upstream: Upstream;
  /** Checks addresses that accounts have chosen. */
  readonly upstreamGuard: UpstreamGuard;
  /** The configuration's `sandbox`. */
  readonly sandbox: boolean | null;
  /** Fetches files that prompts refer to. */
  readonly mediaFetcher: MediaFetcher;
  /** Stores generated files. */
  readonly mediaStore: MediaStore;
  /** Holds large files of forms during their requests. */
  readonly uploadFolder: UploadFolder;
}

/** The delay with which `switchyard channels list` and `keys list` show figures, and idle wallets return leases. */
const RECORD_MS = 1_000;
/** How long a start waits for the servers of channels to be recognized. */
const LONGEST_RECOGNITION_MS = 500;

/** The calls in flight. */
export interface Running {
  readonly inFlight: number;
  /** The number of streams whose clients have not received the end. */
  readonly openStreams: number;
  cutOff(failure: Failure): void;
}

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
  /** Makes `/readyz` direct load balancers elsewhere; new requests are still answered. */
  drain(): void;
  /** Resolves to this process's own metrics, in Prometheus' text format. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { clock, logger, mediaStore, cache, pageTokens } = options;
  const memory = new RoutingMemory(clock, Math.random);
  memory.restore(await options.store.health.read());
  const { source, servers } = await openDirectory(options, memory);
  const metrics = new PrometheusMetrics(memory, options.mediaStore);
  openTaskMetrics(metrics.registry, options.store.tasks, clock);
  const limits = new Limits({ counters: options.counters });
  const store = new StoreWatch({ health: options.store.storeHealth, clock, logger });
  const wrongKeys = new WrongKeys({ clock, logger, metrics, perMinute: options.wrongKeysPerMinute });
  const rooms = { source, memory, metrics, limits, wrongKeys, store };
  const { keyUsed, recordAll, texts, tasks, captures, ...rest } = createCalls(options, rooms);
  const { calls, realtime } = rest;
  const { principals } = source;
  const ports = { directory: () => source.current(), principals, limits, clock, keyUsed, wrongKeys };
  const storing = { responses: options.store.responses, issued: texts.issued, format: openaiResponses };
  const storedResponses = new StoredResponses({ ...ports, ...storing });
  const taskReader = new TaskReader({ ...ports, tasks: options.store.tasks, mediaStore });
  const successRates = await startSuccessRates(options);
  const { minimumSamples, vendorKey } = options.listing;
  const models = new Models({ ...ports, snapshot: successRates.current, minimumSamples });
  let draining = false;
  const kept = await keepDirectory({ source, store, nodes: options.store.nodes, media: mediaStore, logger, clock });
  const loopDelay = new EventLoopDelay(clock);
  const everySecond = setInterval(() => {
    wrongKeys.report();
    const watched = [calls.answering, realtime, store, kept, servers, cache.store, management.live, loopDelay, bounds];
    for (const one of watched) void one.look();
    void recordAll(false);
  }, RECORD_MS);
  const notReady = () => (draining ? 'shutting down' : (store.notReady ?? kept.problem));
  const receive = receiving(options);
  const bounds = createBounds({ ...options, ...receive });
  const responseSockets = new ResponseSockets({ ...receive, ...overSockets({ ...rest, texts }, ports) });
  const { routes, fallback, delegated } = inferenceRoutes({
    ...receive,
    cacheFeedback: createCacheFeedback(options, { ...ports, metrics }),
    ...{ storedResponses, taskReader, models, vendorKey, responseSockets, mediaStore, pageTokens, ...rest },
    openapi: createOpenApi({ ...receive, vendorKey, management: () => management.routes }),
  });
  const alerts = createAlerts(options, metrics.registry);
  const { refresh, node } = kept;
  const present = { snapshot: successRates.current, refresh, node, notReady, delegated, ...bounds };
  const about = { ...present, ...loadOf(running(rest), loopDelay), alerts, captures };
  const management = createManagement({ ...options, ...ports, ...receive, ...about });
  await tasks.start();
  const guard = new Guard({ newRequestId, logger });
  const ops = opsHandler(metrics, notReady, options, guard);
  const cors = new Cors(options.corsOrigins);
  const around = (handler: ServerHandler) => cors.around(guard.around(handler));
  return {
    routes: cors.all(guard.all({ ...routes, ...bounds.open.all(createOpenRoutes(options, receive, routes)) })),
    fetch: byPath([ops, [isManagement, around(management.handle)], [() => true, around(bounds.open.around(fallback))]]),
    error: guard.lastResort,
    websocket: socketServer(options.maxBodyBytes),
    running: running(rest),
    ...{ ...firstModels(source), refresh, metrics: () => metrics.registry.metrics() },
    drain: () => {
      draining = true;
      responseSockets.drain();
      management.live.close();
    },
    close: async () => {
      await kept.stop();
      clearInterval(everySecond);
      await Promise.all([tasks.stop(), alerts.stop(), successRates.stop(), loopDelay.stop()]);
      await recordAll(true);
    },
  };
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

function firstModels(source: { current(): Directory }): Pick<Gateway, 'firstChatModel' | 'firstEmbeddingModel'> {
  return {
    firstChatModel: () => source.current().firstChatModel(),
    firstEmbeddingModel: () => source.current().firstModelFor('embeddings'),
  };
}

/** Returns the functions that answer requests on a WebSocket. */
function overSockets({ calls, operations, texts }: Answerers & Pick<WiredCalls, 'texts'>, ports: IdentifyPorts) {
  return {
    respond: (inbound: TextInbound) => calls.run(operations.text, inbound),
    openConnection: (accountId: string) => texts.connections.open(accountId),
    identify: (caller: Caller) => identify(ports, caller),
  };
}

function loadOf(calling: Running, delay: EventLoopDelay) {
  return { requestsInFlight: () => calling.inFlight, eventLoopDelay: () => delay.read() };
}

function running({ calls, relays, realtime }: Answerers): Running {
  return {
    get inFlight() {
      return calls.inFlight + relays.inFlight + realtime.inFlight;
    },
    get openStreams() {
      return calls.answering.openStreams;
    },
    cutOff: (failure) => {
      calls.answering.cutOff(failure);
      realtime.cutOff(failure);
    },
  };
}

/** Returns the limits for receiving bodies, over HTTP and over WebSockets. */
function receiving(options: GatewayOptions) {
  const { maxBodyBytes, maxUploadBytes, maxSocketsPerAccount, bodyMemoryBytes, trustedProxies } = options;
  const bodyBudget = new BodyBudget(bodyMemoryBytes, maxBodyBytes);
  return {
    maxBodyBytes,
    maxUploadBytes,
    maxSocketsPerAccount,
    bodyBudget,
    newRequestId,
    addresses: new ClientAddresses(trustedProxies),
    publicUrl: options.publicUrl,
    uploadFolder: options.uploadFolder,
  };
}

type PathHandler = readonly [takes: (path: string) => boolean, handler: ServerHandler];

/** Dispatches to the first handler that takes the path; the last takes all. */
function byPath(handlers: readonly PathHandler[]): ServerHandler {
  return (request, connections) => {
    const { path } = requestTarget(request.url);
    const [, handler] = handlers.find(([takes]) => takes(path)) ?? [];
    if (handler === undefined) throw new Error('No handler serves the path.');
    return handler(request, connections);
  };
}

function opsHandler(
  metrics: PrometheusMetrics,
  notReady: () => string | null,
  { metricsToken, metricsOfAll }: Pick<GatewayOptions, 'metricsToken' | 'metricsOfAll'>,
  guard: Guard,
): PathHandler {
  const app = createApp(metrics, notReady, metricsOfAll);
  const access = new MetricsAccess(metricsToken);
  const handler = guard.around((request, connections) => {
    const isMetrics = requestTarget(request.url).path === '/metrics';
    const peer = () => connections.requestIP(request)?.address ?? null;
    return isMetrics && !access.admits(request, peer()) ? noMetrics() : app.fetch(request);
  });
  return [(path) => OPS_PATHS.has(path), handler];
}

function noMetrics(): Response {
  const failure = new Failure('access_denied', {
    message: 'You are not allowed to read the metrics.',
    hint: 'Send the configured `server.metrics_token` in the header `Authorization: Bearer …`; without one, metrics can be read only on the machine itself.',
  });
  return failureResponse(openaiChat, failure, newRequestId());
}

/** Creates the app for health checks and metrics. */
function createApp(
  { registry }: PrometheusMetrics,
  notReady: () => string | null,
  ofAll: GatewayOptions['metricsOfAll'],
): Hono {
  const own = () => registry.metrics();
  // Hono's own `getPath` requires a host, which health checks over HTTP/1.0 do not send.
  const app = new Hono({ getPath: (request) => requestTarget(request.url).path });
  app.route(
    '/',
    opsRoutes({
      newRequestId,
      notReady: async () => notReady(),
      metrics: async () => ({ body: await ofAll(own), contentType: registry.contentType }),
    }),
  );
  // Only reached for a wrong method: unknown paths do not get here.
  app.notFound(({ req }) => methodNotAllowed(req.raw, openaiChat, { allow: 'GET, HEAD', newRequestId }));
  // The surrounding guard answers.
  app.onError((error) => {
    throw error;
  });
  return app;
}

interface Rooms {
  readonly source: DirectorySource;
  readonly memory: RoutingMemory;
  readonly metrics: PrometheusMetrics;
  readonly limits: Limits;
  readonly wrongKeys: WrongKeys;
  readonly store: StoreWatch;
}

/** The services that answer calls, one per kind. */
interface Answerers {
  readonly calls: Calls;
  readonly operations: Operations;
  readonly relays: Relays;
  readonly realtime: Realtime;
}

interface WiredCalls extends Answerers {
  readonly texts: TextServices;
  readonly tasks: Tasks;
  readonly keyUsed: (credential: Credential) => void;
  readonly captures: Captures;
  recordAll(isLast: boolean): Promise<unknown>;
}

/** Creates the services that answer calls, and the writers of what they collect. */
function createCalls(
  options: GatewayOptions,
  { source, memory, metrics, limits, wrongKeys, store }: Rooms,
): WiredCalls {
  const { clock, logger } = options;
  const recorder = new HealthRecorder(memory, options.store.health, logger);
  const asking = { upstream: options.upstream, clock, providers, directory: () => source.current() };
  const confirmed = (target: AskedTarget, reason: string) => void blockRefusedChannel(options, target, reason);
  const suspicions = new Suspicions({ ...asking, confirmed });
  const probes = new ChannelProbes({ ...asking, logger });
  const { ledger, holds, heldCharges } = options.store;
  const books = { store, ledger, heldCharges, metrics, clock, logger, settings: options.billing };
  const billing = new AccountBilling(books);
  const keyUse = new KeyUseRecorder({ store: options.store.keyUse, clock, logger });
  const keyUsed = (credential: Credential) => keyUse.used(credential);
  const shared = {
    limits,
    billing,
    keyUsed,
    wrongKeys,
    directory: () => source.current(),
    principals: source.principals,
    upstream: options.upstream,
    objects: options.store.objects,
    sealing: options.sealing,
    clock,
    log: options.store.requestLog,
    metrics,
    logger,
    suspectChannel: (target: AskedTarget, failure: Failure) => suspicions.check(target, failure),
    tagValues: new TagValues(),
    newRequestId,
  };
  const probeChannel = (target: AskedTarget, stream: boolean) => probes.probe(target, stream);
  // A chat request could not probe another API.
  const beside = { ...shared, probeChannel: () => undefined };
  const relays = new Relays(beside);
  const { maxSocketsPerAccount, routing, pings, sleep } = options;
  const sockets = new SocketUpstream(options.upstreamGuard);
  const realtime = new Realtime({ ...beside, sockets, maxSocketsPerAccount });
  const answers = new AnswerMemory(options.answerMemory);
  const captures = new Captures({ store: options.store.captures, logger });
  const asks = { ...shared, probeChannel, answers, pings, random: Math.random, sleep, routing, captures };
  const cache = createCache(options.cache, metrics.cache, asks);
  const texts = new TextServices({
    ...shared,
    answers,
    cache,
    media: options.mediaFetcher,
    mediaStore: options.mediaStore,
    responses: options.store.responses,
    conversationState: options.conversationState,
    responseQuota: options.responseQuota,
    newId,
  });
  const tasks = createTasks(options, { ...shared, answers }, new HoldBilling({ ...books, holds }, billing.wallets));
  const calls = new Calls(asks);
  const records = [recorder, keyUse, captures];
  return {
    calls,
    operations: createOperations(texts, tasks),
    texts,
    tasks,
    relays,
    realtime,
    keyUsed,
    captures,
    recordAll: (isLast) => Promise.all([...records.map((one) => one.record()), billing.wallets.giveBackIdle(isLast)]),
  };
}
