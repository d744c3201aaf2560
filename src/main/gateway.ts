import { Hono } from 'hono';
import type { Logger as PinoLogger } from 'pino';
import type { Credential } from '../domain/access/api-key.ts';
import { OPERATION_CONTRACTS } from '../domain/catalog/operation-contracts.ts';
import { Failure } from '../domain/failure/failure.ts';
import { blockChannel } from '../engine/admin/block-channel.ts';
import { AccountBilling } from '../engine/billing/account-billing.ts';
import { Models } from '../engine/discovery/models.ts';
import type { PageTokens } from '../engine/discovery/page-token.ts';
import { SuccessRates } from '../engine/discovery/success-rates.ts';
import { Exchange } from '../engine/exchange/exchange.ts';
import { StoredResponses } from '../engine/exchange/stored-responses.ts';
import { Suspicions } from '../engine/exchange/suspicion.ts';
import { Limits } from '../engine/limits/limits.ts';
import type { DirectoryStore } from '../engine/ports/directory-store.ts';
import type { HealthStore } from '../engine/ports/health-store.ts';
import type { KeyUseStore } from '../engine/ports/key-use-store.ts';
import type { Ledger } from '../engine/ports/ledger.ts';
import type { MediaFetcher } from '../engine/ports/media-fetcher.ts';
import type { OutcomeSource, SnapshotStore } from '../engine/ports/outcomes.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import type { RequestLog } from '../engine/ports/request-log.ts';
import type { ResponseStore } from '../engine/ports/response-store.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import type { BillingSettings } from '../engine/shared/billing-settings.ts';
import { DirectorySource } from '../engine/shared/directory-source.ts';
import type { DiscoverySettings } from '../engine/shared/discovery-settings.ts';
import { HealthRecorder } from '../engine/shared/health-recorder.ts';
import { KeyUseRecorder } from '../engine/shared/key-use-recorder.ts';
import { RoutingMemory } from '../engine/shared/routing-memory.ts';
import type { RoutingSettings } from '../engine/shared/routing-settings.ts';
import type { Target } from '../engine/shared/target.ts';
import { openaiChat } from '../formats/openai-chat/index.ts';
import { providers } from '../providers/index.ts';
import { failureResponse, formatOfPath } from '../transports/inference/failure-response.ts';
import { inferenceRoutes } from '../transports/inference/inference.ts';
import type { RouteHandler } from '../transports/inference/route.ts';
import { opsRoutes } from '../transports/ops/ops.ts';
import { PrometheusMetrics } from '../transports/ops/prometheus.ts';
import { newId, newRequestId, sleep, systemClock } from './system.ts';

export interface GatewayOptions {
  readonly directory: DirectoryStore;
  readonly requestLog: RequestLog;
  readonly responses: ResponseStore;
  readonly health: HealthStore;
  readonly ledger: Ledger;
  readonly keyUse: KeyUseStore;
  readonly outcomes: OutcomeSource;
  readonly snapshots: SnapshotStore;
  readonly counters: RateCounters;
  readonly logger: PinoLogger;
  readonly maxBodyBytes: number;
  readonly routing: RoutingSettings;
  readonly billing: BillingSettings;
  readonly discovery: DiscoverySettings;
  readonly pageTokens: PageTokens;
  readonly upstream: Upstream;
  /** Fetches what prompts point at. */
  readonly mediaFetcher: MediaFetcher;
}

/** How soon a change made by another process (`switchyard keys revoke`) is in force. */
const DIRECTORY_REFRESH_MS = 200;
/** How far behind that is which `switchyard channels list` and `keys list` show, and what idle wallets give back. */
const RECORD_MS = 1_000;

/** All rooms wired together: the app that answers HTTP, and what starting and stopping it needs. */
export interface Gateway {
  /** The endpoints that carry the traffic, for the server's own router. */
  readonly routes: Record<string, RouteHandler>;
  /** Everything else. */
  readonly app: Hono;
  readonly exchange: Exchange;
  /** A model that the first key can say hello to; `null` while there is none. */
  firstChatModel(): string | null;
  /** Takes over changes of the directory now; resolves to whether there were any. */
  refresh(): Promise<boolean>;
  /** New requests are still answered, but `/readyz` sends load balancers elsewhere. */
  drain(): void;
  close(): Promise<void>;
}

export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { logger } = options;
  const memory = new RoutingMemory(systemClock, Math.random);
  memory.restore(await options.health.read());
  const source = await DirectorySource.open(options.directory, providers, memory);
  const metrics = new PrometheusMetrics(memory);
  const limits = new Limits({ counters: options.counters });
  const { exchange, keyUsed, recordAll } = createExchange(options, source, memory, metrics, limits);
  const ports = { directory: () => source.current(), limits, clock: systemClock, keyUsed };
  const storedResponses = new StoredResponses({ ...ports, responses: options.responses });
  const successRates = await startSuccessRates(options);
  const { minimumSamples, vendorKey } = options.discovery;
  const models = new Models({ ...ports, snapshot: successRates.current, minimumSamples });
  let draining = false;
  let storeError: string | null = null;
  const refresh = async (): Promise<boolean> => {
    try {
      const changed = await source.refresh();
      storeError = null;
      return changed;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (storeError === null) logger.error({ reason }, 'the database cannot be read');
      storeError = reason;
      return false;
    }
  };
  const timer = setInterval(async () => {
    if (await refresh()) logger.info({ channels: source.current().channelCount }, 'configuration changed');
  }, DIRECTORY_REFRESH_MS);
  const recording = setInterval(() => void recordAll(false), RECORD_MS);
  const notReady = () => (draining ? 'shutting down' : storeError === null ? null : 'the database cannot be read');
  return {
    routes: inferenceRoutes({
      exchange,
      storedResponses,
      models,
      vendorKey,
      pageTokens: options.pageTokens,
      maxBodyBytes: options.maxBodyBytes,
      newRequestId,
    }),
    app: createApp(logger, metrics, notReady),
    exchange,
    firstChatModel: () => source.current().firstChatModel(),
    refresh,
    drain: () => {
      draining = true;
    },
    close: async () => {
      clearInterval(timer);
      clearInterval(recording);
      await successRates.stop();
      await recordAll(true);
    },
  };
}

/** What was counted before a restart, and from now on again and again; in the background, since there may be millions of lines. */
async function startSuccessRates({ outcomes, snapshots, discovery, logger }: GatewayOptions) {
  const rates = new SuccessRates({
    sources: [outcomes],
    snapshots,
    clock: systemClock,
    logger,
    freshMs: discovery.refreshMs,
  });
  await rates.restore();
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  const refresh = async (): Promise<void> => {
    await rates.refresh();
    if (!isStopped) timer = setTimeout(() => void refresh(), rates.nextDelayMs());
  };
  timer = setTimeout(() => void refresh(), 0);
  const stop = async () => {
    isStopped = true;
    clearTimeout(timer);
    await rates.stop();
  };
  return { current: () => rates.current(), stop };
}

/** Routing stops using the channel at once; that it is stored makes it last, and tells the other nodes. */
async function block({ directory, logger }: GatewayOptions, target: Target, reason: string): Promise<void> {
  const { channel, health } = target;
  if (health.channel.block !== null) return;
  const made = { atMs: systemClock.nowMs(), reason };
  health.channel.block = made;
  logger.error(
    { channelId: channel.id, reason },
    `the provider refuses the channel's credentials: it is out of use until they are renewed or "switchyard channels enable ${channel.id}"`,
  );
  try {
    await blockChannel(directory, channel, made);
  } catch (error) {
    logger.error({ channelId: channel.id, error: String(error) }, 'that a channel is out of use could not be stored');
  }
}

/** Everything but the endpoints that carry the traffic. */
function createApp(logger: PinoLogger, metrics: PrometheusMetrics, notReady: () => string | null): Hono {
  const app = new Hono();
  app.route(
    '/',
    opsRoutes({
      newRequestId,
      notReady: async () => notReady(),
      metrics: async () => ({ body: await metrics.registry.metrics(), contentType: metrics.registry.contentType }),
    }),
  );
  app.notFound((context) => {
    const call = `${context.req.method} ${context.req.path.slice(0, 200)}`;
    const isKnown = Object.values(OPERATION_CONTRACTS).some(({ method, endpoint }) => `${method} ${endpoint}` === call);
    const message = isKnown ? `This version of the gateway does not serve ${call}.` : `There is nothing at ${call}.`;
    const failure = new Failure('unknown_url', { message, hint: 'Chat completions are at POST /v1/chat/completions.' });
    return failureResponse(formatOfPath(context.req.path, openaiChat), failure, newRequestId());
  });
  app.onError((error, context) => {
    const requestId = newRequestId();
    logger.error({ requestId, error: error.message, stack: error.stack }, 'internal error');
    const message = `Something went wrong inside the gateway. Report it with the request id ${requestId}.`;
    const format = formatOfPath(context.req.path, openaiChat);
    return failureResponse(format, new Failure('internal_error', { message }), requestId);
  });
  return app;
}

/** The exchange, and what writes now and then what was gathered beside it. */
function createExchange(
  options: GatewayOptions,
  source: DirectorySource,
  memory: RoutingMemory,
  metrics: PrometheusMetrics,
  limits: Limits,
): { exchange: Exchange; keyUsed: (credential: Credential) => void; recordAll(isLast: boolean): Promise<unknown> } {
  const { logger } = options;
  const recorder = new HealthRecorder(memory, options.health, logger);
  const suspicions = new Suspicions({
    upstream: options.upstream,
    clock: systemClock,
    providers,
    directory: () => source.current(),
    confirmed: (target, reason) => void block(options, target, reason),
  });
  const billing = new AccountBilling({
    ledger: options.ledger,
    clock: systemClock,
    logger,
    settings: options.billing,
  });
  const keyUse = new KeyUseRecorder({ store: options.keyUse, clock: systemClock, logger });
  const keyUsed = (credential: Credential) => keyUse.used(credential);
  const exchange = new Exchange({
    limits,
    billing,
    keyUsed,
    directory: () => source.current(),
    upstream: options.upstream,
    media: options.mediaFetcher,
    responses: options.responses,
    clock: systemClock,
    log: options.requestLog,
    metrics,
    logger,
    random: Math.random,
    sleep,
    routing: options.routing,
    suspectChannel: (target, failure) => suspicions.check(target, failure),
    newRequestId,
    newId,
  });
  return {
    exchange,
    keyUsed,
    recordAll: (isLast) => Promise.all([recorder.record(), keyUse.record(), billing.wallets.giveBackIdle(isLast)]),
  };
}
