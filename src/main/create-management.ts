import type { Requester } from '../domain/access/actor.ts';
import type { ObjectQuotas } from '../domain/access/object-quotas.ts';
import type { Failure } from '../domain/failure/failure.ts';
import { type IdentifyTokenPorts, identifyToken } from '../engine/access/authenticate.ts';
import { DelegatedKey, DelegatedReader } from '../engine/access/caller.ts';
import { whenInForce } from '../engine/admin/nodes/when-in-force.ts';
import { type LiveCursors, LiveRequests } from '../engine/admin/requests/live-requests.ts';
import type { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import type { SettingsInForce } from '../engine/admin/settings/settings.ts';
import { liveSeller } from '../engine/admin/statements/live-seller.ts';
import type { CacheFeedback } from '../engine/cache/feedback.ts';
import type { RunningCall, WantedRunning } from '../engine/call/calls-in-progress.ts';
import type { EndUsers } from '../engine/call/end-users.ts';
import type { Captures } from '../engine/captures/captures.ts';
import { ChannelTestSlots } from '../engine/channel-tests/test-channel.ts';
import type { EndpointExplainer } from '../engine/explanation/endpoint-explainer.ts';
import type { Clock, Sleep } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import type { NodeFacts } from '../engine/ports/node-registry.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import type { Store } from '../engine/ports/store.ts';
import type { MailSettings, RetentionSettings, TaskSettings } from '../engine/settings/settings.ts';
import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import type { Tasks } from '../engine/tasks/tasks.ts';
import { openaiChat } from '../formats/text/openai-chat/index.ts';
import type { ClientAddresses } from '../transports/inference/client-address.ts';
import type { DelegatedCalls } from '../transports/inference/delegated-calls.ts';
import { publicOrigin } from '../transports/inference/public-origin.ts';
import type { ServerHandler } from '../transports/inference/route.ts';
import type { CallerLimits } from '../transports/management/caller-limits.ts';
import { failureAnswer } from '../transports/management/failures.ts';
import { HEADERS, Management, type RequestFacts } from '../transports/management/management.ts';
import { Playground, type PlaygroundPorts } from '../transports/management/playground.ts';
import type { ManagementRoute } from '../transports/management/route.ts';
import { accountRoutes } from '../transports/management/routes/accounts.ts';
import { alertRoutes } from '../transports/management/routes/alerts.ts';
import { auditRoutes } from '../transports/management/routes/audit.ts';
import { balanceRoutes } from '../transports/management/routes/balance.ts';
import { batchRoutes } from '../transports/management/routes/batches.ts';
import { cacheRoutes } from '../transports/management/routes/cache.ts';
import { captureRoutes } from '../transports/management/routes/captures.ts';
import { erasureRoutes } from '../transports/management/routes/erasures.ts';
import { exportRoutes } from '../transports/management/routes/exports.ts';
import { invitationRoutes } from '../transports/management/routes/invitations.ts';
import { keyRoutes } from '../transports/management/routes/keys.ts';
import { ledgerRoutes } from '../transports/management/routes/ledger.ts';
import { limitRoutes } from '../transports/management/routes/limits.ts';
import { ownRoutes } from '../transports/management/routes/own.ts';
import { peopleRoutes } from '../transports/management/routes/people.ts';
import { requestStreamRoutes } from '../transports/management/routes/request-streams.ts';
import { requestRoutes } from '../transports/management/routes/requests.ts';
import { routingRoutes } from '../transports/management/routes/routing.ts';
import { runningRequestRoutes } from '../transports/management/routes/running-requests.ts';
import { settingsRoutes } from '../transports/management/routes/settings.ts';
import { statementRoutes } from '../transports/management/routes/statements.ts';
import { type SystemFacts, systemRoutes } from '../transports/management/routes/system.ts';
import { taskRoutes } from '../transports/management/routes/tasks.ts';
import { tokenRoutes } from '../transports/management/routes/tokens.ts';
import { usageRoutes } from '../transports/management/routes/usage.ts';
import { inFlight } from '../transports/shared/requests-in-flight.ts';
import type { CreatedAlerts } from './create-alerts.ts';
import type { OpenCache } from './create-cache.ts';
import { type CatalogRoutesOptions, createCatalogRoutes } from './create-catalog-routes.ts';
import type { CreatedExports } from './create-exports.ts';
import { createMailer } from './create-mailers.ts';
import { isSignIn, type People } from './create-people.ts';
import { newId, newRequestId } from './system.ts';
import { unavailable } from './unavailable.ts';

const EXPLAINED_AT_ONCE = { all: 8, perAccount: 2 };

export interface ManagementOptions extends Omit<IdentifyTokenPorts, 'clock'>, CatalogRoutesOptions {
  readonly store: Store;
  readonly addresses: ClientAddresses;
  readonly publicUrl: string | null;
  readonly ids: Pick<TelemetrySettings, 'traceUrl'>;
  readonly cache: Pick<OpenCache, 'store' | 'settings'>;
  readonly cacheFeedback: Pick<CacheFeedback, 'count'>;
  readonly mediaStore: Pick<MediaStore, 'link' | 'removeOf'>;
  readonly tasks: TaskSettings;
  /** The tasks that this process can cancel. */
  readonly runningTasks: Pick<Tasks, 'cancel'>;
  readonly retention: RetentionSettings;
  readonly endUsers: EndUsers;
  readonly counters: RateCounters;
  readonly alerts: Pick<CreatedAlerts, 'sender' | 'deliverer' | 'hasMailer' | 'evaluateSoon'>;
  readonly exports: Pick<CreatedExports, 'statuses' | 'placeOf'>;
  readonly logger: Logger;
  readonly branding: LiveBranding;
  /** `null` if no mail server is configured. */
  readonly mailer: Mailer | null;
  readonly mailSettings: MailSettings | null;
  readonly settingsInForce: SettingsInForce;
  readonly redisState: SystemFacts['redis'];
  readonly notReady: SystemFacts['notReady'];
  readonly requestsInFlight: SystemFacts['requestsInFlight'];
  readonly eventLoopDelay: SystemFacts['eventLoopDelay'];
  readonly liveCursors: LiveCursors;
  /** Resolves to the running calls of this gateway. */
  readonly running: (wanted: WantedRunning) => Promise<readonly RunningCall[]>;
  readonly sleep: Sleep;
  /** The facts about this process. */
  readonly node: NodeFacts;
  readonly people: People;
  readonly callerLimits: CallerLimits;
  /** The quotas of accounts that do not set their own. */
  readonly quotas: ObjectQuotas;
  /** The endpoints that ask models. */
  readonly delegated: DelegatedCalls;
  readonly captures: Pick<Captures, 'record'>;
  readonly explainer: Pick<EndpointExplainer, 'explain'>;
  /** Applies changes of the directory in this process. */
  readonly refresh: () => Promise<unknown>;
}

export interface CreatedManagement {
  readonly routes: readonly ManagementRoute[];
  /** Handles every path that starts with `MANAGEMENT_PATH`. */
  readonly handle: ServerHandler;
  /** The live request streams: `look` is to be called once a second, `close` when the gateway stops. */
  readonly live: Pick<LiveRequests, 'look' | 'close'>;
}

/** Wires the management API. `openManagement` loads this file at the API's first request. */
export function createManagement(options: ManagementOptions): CreatedManagement {
  const { store, addresses, publicUrl, refresh } = options;
  const live = new LiveRequests({
    log: store.requestLog,
    names: store.directory,
    clock: options.clock,
    sleep: options.sleep,
    logger: options.logger,
    cursors: options.liveCursors,
  });
  const routes = managementRoutes({ ...options, live });
  const ports: PlaygroundPorts = {
    directory: store.directory,
    audit: store.audit,
    clock: options.clock,
    newRequestId,
    limits: options.callerLimits,
    quotas: options.quotas,
    configurationPath: options.settingsInForce.path,
    requesterOf: (request, facts) => requesterOf(request, facts, options),
  };
  const playground = createPlayground(ports, options.delegated);
  const management = new Management(routes, {
    ...ports,
    idempotency: store.idempotency,
    settled: async () => {
      await refresh();
      return unconfirmedNodes(store, options.clock);
    },
  });
  return {
    ...{ routes, live },
    handle: (request, connections) =>
      inFlight(request, connections, (isInFlight) => {
        const facts = {
          address: addresses.of(request, connections),
          publicOrigin: publicOrigin(request, connections, { addresses, publicUrl }),
          isInFlight,
        };
        const played = playground(request, connections, facts);
        if (played !== null) return played;
        const answering = isSignIn(request) ? signIn(request, facts, options) : management.answer(request, facts);
        return answering.catch(unavailable);
      }),
  };
}

/** Handles sign-in, which needs no session and so counts against the client's address. */
async function signIn(
  request: Request,
  facts: RequestFacts,
  { callerLimits, people }: ManagementOptions,
): Promise<Response> {
  const refused = callerLimits.ofAddress(facts);
  if (refused === null) return await people.answer(request, facts);
  const requestId = newRequestId();
  return failureAnswer(refused, requestId, { ...HEADERS, 'x-request-id': requestId });
}

interface RouteOptions extends ManagementOptions {
  readonly live: LiveRequests;
}

/** Returns all routes of the management API, by resource. */
export function managementRoutes(options: RouteOptions): readonly ManagementRoute[] {
  const { clock, store, cache, mediaStore, logger, tasks, retention, settingsInForce, counters, live } = options;
  const { branding, mailer, mailSettings, people } = options;
  const mail = {
    ...{ settings: mailSettings, mailer },
    mailerFor: (other: MailSettings) => createMailer(other, { people: store.people, clock }),
  };
  return [
    ...accountRoutes({ store, clock, directory: options.directory }),
    ...keyRoutes({ store, clock, directory: options.directory }),
    ...tokenRoutes({ store, clock }),
    ...limitRoutes({ ...store, counters, clock }),
    ...taskRoutes({ store, mediaStore, clock, logger, settings: tasks, running: options.runningTasks }),
    ...batchRoutes({ store, clock }),
    ...cacheRoutes({ store, cache: cache.store, settings: cache.settings, clock, feedback: options.cacheFeedback }),
    ...ownRoutes(people.own),
    ...peopleRoutes({ ...people.ports, lists: store.lists }),
    ...invitationRoutes(people.ports),
    ...erasureRoutes({ ...store, clock, mediaStore, cache: cache.store, endUsers: options.endUsers }),
    ...usageRoutes({ store, clock, retention, endUsers: options.endUsers }),
    ...requestStreamRoutes({ log: store.requestLog, live, clock }),
    ...runningRequestRoutes({ running: options.running, clock }),
    ...requestRoutes(store, options.ids),
    ...routingRoutes({ explainer: options.explainer, clock, slots: new ChannelTestSlots(EXPLAINED_AT_ONCE) }),
    ...captureRoutes({ captures: store.captures, written: () => options.captures.record() }),
    ...balanceRoutes({ store, clock }),
    ...ledgerRoutes({ store, clock, retention }),
    ...statementRoutes({
      store,
      clock,
      retention,
      seller: liveSeller(store.settings, settingsInForce.written.seller ?? {}),
    }),
    ...createCatalogRoutes(options),
    ...settingsRoutes({ store, inForce: settingsInForce, clock, branding, mail }),
    ...auditRoutes(store),
    ...systemRoutes({ store, clock, facts: systemFacts(options) }),
    ...exportRoutes({ clock, exports: options.exports }),
    ...alertRoutes({ store, clock, logger, newId, ...options.alerts }),
  ];
}

function systemFacts({ node, redisState, notReady, requestsInFlight, eventLoopDelay }: ManagementOptions): SystemFacts {
  const { id: nodeId, version, startedAtMs } = node;
  const memoryBytes = () => process.memoryUsage.rss();
  const measured = { memoryBytes, requestsInFlight, eventLoopDelay };
  return { nodeId, version, startedAtMs, runtime: `Bun ${Bun.version}`, redis: redisState, notReady, ...measured };
}

/** Waits for the nodes, and names in a header those that may not have applied the change yet; returns no header if all have. */
async function unconfirmedNodes(store: Store, clock: Clock): Promise<Readonly<Record<string, string>>> {
  const name = 'x-switchyard-unconfirmed-nodes';
  try {
    const { unconfirmed } = await whenInForce({ ...store, clock, sleep: Bun.sleep });
    if (unconfirmed.length === 0) return {};
    return { [name]: unconfirmed.map(({ id, hostName }) => `${id} (${hostName})`).join(', ') };
  } catch {
    // The change was made, but the state of the nodes cannot be read now.
    return { [name]: 'unknown' };
  }
}

async function requesterOf(
  request: Request,
  facts: RequestFacts,
  options: ManagementOptions,
): Promise<Requester | Failure | null> {
  const secret = openaiChat.secret(request.headers, request.url);
  if (secret === null) return options.people.requesterOf(request, facts);
  const caller = { envelope: openaiChat, secret, address: () => facts.address };
  return identifyToken(options, caller);
}

type Answering = (
  request: Request,
  connections: Parameters<ServerHandler>[1],
  facts: RequestFacts,
) => Promise<Response> | null;

/**
 * Answers calls of signed-in people: they are admitted like requests of the management API, and answered by the endpoints themselves. This
 * is the only place where a key is delegated for.
 */
function createPlayground(ports: PlaygroundPorts, calls: DelegatedCalls): Answering {
  const playground = new Playground(ports);
  return (request, connections, facts) => {
    const path = playground.pathOf(request);
    return path === null ? null : answer(path);

    async function answer(path: string): Promise<Response> {
      const endpoint = calls.find(path);
      if (endpoint === null) return playground.unknown(request, path);
      const call = await playground.admit(request, path, facts).catch(unavailable);
      if (call instanceof Response) return call;
      const { by } = call;
      const key = 'credential' in by ? new DelegatedKey(by.credential.secretHash) : new DelegatedReader(by.reader);
      return await calls.answer(endpoint, { url: call.url, key }, request, connections);
    }
  };
}
