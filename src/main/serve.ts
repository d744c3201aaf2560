import { join, resolve } from 'node:path';
import type { LocalActor } from '../domain/access/actor.ts';
import { Slices } from '../domain/concurrency/slices.ts';
import { formatNanoUsd } from '../domain/money/nano-usd.ts';
import { applyAlerts } from '../engine/admin/alerts/apply-alerts.ts';
import { type AuditedStore, auditedStore, localOrigin } from '../engine/admin/audit/audit-trail.ts';
import { syncEnvironmentChannels } from '../engine/admin/channels/sync-environment-channels.ts';
import { applyConfiguration } from '../engine/admin/configuration/apply-configuration.ts';
import { type ResumePorts, resumeErasures } from '../engine/admin/erasure/resume-erasures.ts';
import { ensureFirstKey } from '../engine/admin/keys/ensure-first-key.ts';
import { grantOpeningBalances } from '../engine/admin/ledger/change-ledger.ts';
import { defaultSections } from '../engine/admin/settings/default-settings.ts';
import { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import { EndUsers } from '../engine/call/end-users.ts';
import { PageTokens } from '../engine/model-listing/page-token.ts';
import { REPLAYED_SHARE } from '../engine/operations/text/text-services.ts';
import type { DirectoryStore } from '../engine/ports/directory-store.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import { DEFAULT_RESPONSE_QUOTA } from '../engine/ports/response-store.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import { deletableBefore } from '../engine/request-export/export-status.ts';
import { DEFAULT_PINGS, DEFAULT_SERVER, type MemoryBounds } from '../engine/settings/settings.ts';
import { providers } from '../providers/index.ts';
import { ThreadedQuestionIndex } from '../semantic-cache/question-index/threaded-question-index.ts';
import { cacheInGroup } from '../stores/group/cache.ts';
import { createSealing } from '../stores/shared/account-sealing.ts';
import { eventLoopTurns } from '../stores/shared/event-loop-turns.ts';
import { UploadFolder } from '../transports/inference/form/upload-folder.ts';
import { summedMetrics } from '../transports/ops/summed-metrics.ts';
import { HttpUpstream } from '../upstream/http-upstream.ts';
import { createMediaFetcher } from '../upstream/media-fetcher.ts';
import { UpstreamGuard } from '../upstream/upstream-guard.ts';
import { announce, PLATFORM } from './announce.ts';
import { withEnvironment } from './cli/merged-settings.ts';
import { environmentSettings } from './configuration/environment-settings.ts';
import type { OpenCache } from './create-cache.ts';
import { createMailers } from './create-mailers.ts';
import { dashboardSettings } from './create-open-routes.ts';
import { createPeople } from './create-people.ts';
import { createTelemetry } from './create-telemetry.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { discoverLocalProviders } from './discover-local-providers.ts';
import { createGateway, type Gateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { type Membership, shareDrain, shareLastMetrics } from './group/membership.ts';
import { workerCount } from './group/worker-count.ts';
import { deleteOldData, rollUsageUp } from './housekeeping.ts';
import { listen } from './listen.ts';
import { LoadedConfiguration } from './loaded-configuration.ts';
import { AccessLogFile } from './logging/access-log-file.ts';
import { LiveLogSettings } from './logging/live-settings.ts';
import { type MemoryInForce, memoryInForce } from './memory.ts';
import { openShared } from './open-shared.ts';
import { mediaFolder, openCacheStore, openMediaStore } from './open-stores.ts';
import { probeTokens } from './probe-tokens.ts';
import { createReload } from './reload-configuration.ts';
import { SealedCursors } from './sealed-cursors.ts';
import type { ServeOptions } from './serve-options.ts';
import { shownEnvironment } from './shown-environment.ts';
import { type Stopping, shutDown } from './shut-down.ts';
import type { StopRequest } from './stop-request.ts';
import { derivedKey } from './system.ts';
import { warmUp } from './warm-up.ts';

const FIRST_START: LocalActor = { kind: 'gateway', name: 'first start' };

/** Starts the gateway; resolves to the exit code when it has stopped. */
export async function serve(options: ServeOptions): Promise<number> {
  const { clock, store, configuration, logger } = options;
  const { upstream, upstreamGuard } = openUpstream(options);
  // In parallel, since most of the work is in other threads.
  const warm = warmUp(upstream);
  await prepare(options, upstream);
  const { billing } = configuration;
  const { environment, membership } = options;
  const processes = membership === null ? 1 : workerCount(environment);
  const memory = memoryInForce(configuration, processes, options.availableBytes);
  const shared = await openShared(options, billing);
  const mediaStore = openMediaStore(options);
  const uploadFolder = await openUploadFolder(options);
  const cache = await openCache(options);
  const { mailer, linkMailer, counts: mailCounts } = createMailers(configuration, { people: store.people, clock });
  const { branding, people } = await openPeople(options, linkMailer);
  const loadedConfiguration = new LoadedConfiguration(configuration.path, clock.nowMs());
  const accessLog = openAccessLog(options);
  const telemetry = await openTelemetry(options);
  logger.readBy(telemetry.logs?.read ?? null);
  const gateway = await createGateway({
    ...{ clock, accessLog: accessLog?.write ?? null },
    ...{ sleep: options.sleep, every: options.every, store },
    sealing: createSealing(options.secret),
    ...ofOtherSections(options),
    ...{ mailer, mailCounts, mailSettings: configuration.mail, branding },
    ...{ exports: configuration.exports, isExporter: isHousekeeper(membership), tracing: telemetry.traces, telemetry },
    ...{ cache, settingsInForce: settingsInForce(options, memory) },
    ...{ redisState: shared.redisState, redisFigures: shared.redisFigures, people, loadedConfiguration },
    dashboard: dashboardSettings(options),
    ...tokensOf(options),
    ...{ counters: shared.counters, conversationState: shared.conversationState },
    billing,
    logger,
    ...ofServerSection(options, memory.bounds),
    ...monitoring(options),
    ...{ upstream, upstreamGuard },
    mediaStore,
    uploadFolder,
    mediaFetcher: createMediaFetcher({
      settings: { ...configuration.media, maxHeldBytes: memory.bounds.maxHeldMediaBytes },
    }),
  });
  if (membership !== null) Object.assign(membership.offered, offeredBy(gateway));
  await warm.then(() => options.freeAddress());
  const liveLogs = liveLogSettings(options);
  await liveLogs.look();
  const stop = options.stopRequest();
  options.onReloadRequest(
    createReload({ ...options, loadedConfiguration, liveLogs, accessLog, refresh: () => gateway.refresh() }),
  );
  const server = listen(options, membership !== null, gateway);
  const stopUpkeep = startUpkeep(options, { mediaStore, cache: cache.store });
  const stopWatching = watchDescriptors(() => server.closeIdleConnections(), logger);
  // Created only now, when the key is certain to be displayed, which happens once.
  const first = await firstKey(options, gateway);
  await announce(options, gateway, server, first, people, memory);
  await membership?.group.ready();
  const request = await stop;
  stopWatching();
  liveLogs.close();
  const closeRest = () => {
    uploadFolder.close();
    const parts = [shared, mediaStore, cache.index, cache.store, telemetry, accessLog];
    const lastMetrics = membership && shareLastMetrics(membership, () => gateway.metrics());
    return Promise.all([lastMetrics, ...parts.map((part) => part?.close())]);
  };
  await stopServing(options, { request, gateway, server, upstream, closeRest, upkeepStopped: stopUpkeep() });
  return request.exitCode;
}

/** Returns `null` without an access log. */
function openAccessLog({ configuration: { logs }, logger }: ServeOptions) {
  const { accessLog: path } = logs;
  if (path === null) return null;
  if (path === '-') return { write: logger.writeOther, reopen: () => undefined, close: async () => undefined };
  return new AccessLogFile(path, logger);
}

function liveLogSettings({ logger, store, environment, configuration }: ServeOptions): LiveLogSettings {
  const stated = environmentSettings(environment).sections.logs ?? {};
  return new LiveLogSettings({ logger, settings: store.settings, stated, written: configuration.written.logs ?? {} });
}

/** Returns the makers of what clients carry back to the gateway, signed or encrypted with a key for each purpose. */
function tokensOf({ secret, clock }: ServeOptions) {
  return {
    pageTokens: new PageTokens(derivedKey(secret, 'page tokens')),
    liveCursors: new SealedCursors(derivedKey(secret, 'live requests')),
    probeTokens: probeTokens(secret, clock),
  };
}

/** Creates the services for people; their authenticators list the gateway under its name of now. */
async function openPeople(options: ServeOptions, linkMailer: Mailer | null) {
  const { store, configuration, clock, logger } = options;
  const branding = new LiveBranding({ ...store, written: configuration.written.branding ?? {}, clock, logger });
  const { name: serviceName } = await branding.current();
  return { branding, people: createPeople({ ...options, linkMailer, branding, serviceName }) };
}

/** Creates the first key at the very first start, if it can be shown; otherwise resolves to `null`. */
async function firstKey(options: ServeOptions, gateway: Gateway) {
  if (!options.printsSecrets) return null;
  const created = await ensureFirstKey(changesBy(options, FIRST_START).directory, options.clock);
  if (created) await gateway.refresh();
  return created && { secret: created.secret, accountId: created.credential.accountId };
}

function openTelemetry({ configuration, clock, sleep, logger }: ServeOptions) {
  const { telemetry: settings, server } = configuration;
  return createTelemetry({ settings, publicUrl: server.publicUrl, clock, sleep, logger });
}

interface Served extends Pick<Stopping, 'server' | 'upstream' | 'closeRest'> {
  readonly request: StopRequest;
  readonly gateway: Gateway;
  /** Awaited with the rest: one of its statements may wait for a database that does not answer. */
  readonly upkeepStopped: Promise<void>;
}

function stopServing(
  { configuration: { server }, membership, store, logger, print }: ServeOptions,
  { gateway, upkeepStopped, ...served }: Served,
): Promise<void> {
  const close = async () => void (await Promise.all([gateway.close(), upkeepStopped]));
  if (membership !== null) shareDrain(membership, served.request);
  const drain = () => gateway.drain(membership?.isReplaced ? null : 'shutting down');
  return shutDown({
    ...{ ...served, store, logger, print },
    drainMs: server.drainMs ?? DEFAULT_SERVER.drainMs,
    graceMs: server.shutdownGraceMs ?? DEFAULT_SERVER.shutdownGraceMs,
    writeMs: server.shutdownWriteMs ?? DEFAULT_SERVER.shutdownWriteMs,
    gateway: { running: gateway.running, drain, closeSockets: () => gateway.closeSockets(), close },
  });
}

function settingsInForce({ configuration, storedSettings, environment }: ServeOptions, memory: MemoryInForce) {
  return {
    path: configuration.path,
    ...withEnvironment(defaultSections(memory.defaults), configuration.variables, environment),
    written: configuration.written,
    stored: storedSettings,
    environment: shownEnvironment(environment),
  };
}

/** Whether this process does what one process of a group does for all. */
function isHousekeeper(membership: Membership | null): boolean {
  return membership === null || membership.number === 1;
}

/** Starts background work. In a group one process deletes old data; of several nodes that share PostgreSQL, the one that claims it. */
function startUpkeep(
  { store, configuration, clock, logger, membership }: ServeOptions,
  files: Pick<ResumePorts, 'mediaStore' | 'cache'>,
): () => Promise<void> {
  const stopRolling = rollUsageUp(store.usage, logger);
  if (!isHousekeeper(membership)) return stopRolling;
  const holder = crypto.randomUUID();
  const resume = () => resumeErasures({ ...store, ...files, clock, logger });
  const settings = configuration.retention;
  const ports = { store: store.exports, log: store.requestLog };
  const logDeletableBefore = (beforeMs: number) => deletableBefore(ports, configuration.exports, beforeMs);
  const duties = { resumeErasures: resume, logDeletableBefore };
  const stopDeleting = deleteOldData({ store, settings, clock, logger, holder, ...duties });
  return async () => void (await Promise.all([stopRolling(), stopDeleting()]));
}

type MonitoringOptions = 'metricsOfAll' | 'figuresOfAll' | 'runningOfAll' | 'availableBytes' | 'disks';

/** Returns what operators read of all processes of the group. */
function monitoring(options: ServeOptions): Pick<GatewayOptions, MonitoringOptions> {
  const { membership, availableBytes } = options;
  return {
    metricsOfAll: metricsOf(membership),
    figuresOfAll: figuresOf(membership),
    runningOfAll: async (wanted, own) => (membership === null ? own() : membership.group.running(wanted)),
    ...{ availableBytes, disks: watchedDisks(options) },
  };
}

/** Merges the metrics of all processes of the group. */
function metricsOf(membership: Membership | null): GatewayOptions['metricsOfAll'] {
  if (membership === null) return (own) => own();
  return async () => summedMetrics(await membership.group.metrics(), new Slices(eventLoopTurns));
}

/** Collects the figures of all processes of the group; this one's alone if no other answers. */
function figuresOf(membership: Membership | null): GatewayOptions['figuresOfAll'] {
  return async (own) => {
    const [first, ...others] = membership === null ? [] : await membership.group.figures().catch(() => []);
    return first === undefined ? [own()] : [first, ...others];
  };
}

/** Returns what a worker offers its owner for operators. */
function offeredBy(gateway: Gateway): Pick<Membership['offered'], 'metrics' | 'figures' | 'running'> {
  return {
    metrics: () => gateway.metrics(),
    figures: async () => gateway.figures(),
    running: async (wanted) => gateway.runningCalls(wanted),
  };
}

function watchedDisks({ configuration, dataDirectory }: ServeOptions): GatewayOptions['disks'] {
  const media = mediaFolder(configuration, dataDirectory);
  const data = { name: 'data' as const, path: resolve(dataDirectory) };
  return media === null || media.startsWith(dataDirectory) ? [data] : [data, { name: 'media', path: media }];
}

/** Returns the values of sections that the gateway takes as they are. */
function ofOtherSections({ configuration, secret }: ServeOptions) {
  const { listing, tasks, batches, search, retention, quotas, usage, alerts, telemetry, routing, sandbox } =
    configuration;
  return {
    ...{ listing, tasks, batches, search, retention, quotas, routing, sandbox },
    endUsers: new EndUsers(usage.endUsers, derivedKey(secret, 'end users')),
    alerting: alerts.settings,
    accountMetrics: telemetry.accountMetrics,
    ids: telemetry,
  };
}

/** Returns the values of the section `server`, with their defaults. */
function ofServerSection(
  { configuration: { server, retention }, callerLimits: defaults = DEFAULT_SERVER }: ServeOptions,
  memory: MemoryBounds,
) {
  return {
    responseQuota: {
      maxResponses: server.maxResponsesPerAccount ?? DEFAULT_RESPONSE_QUOTA.maxResponses,
      maxBytes: server.maxResponseBytesPerAccount ?? DEFAULT_RESPONSE_QUOTA.maxBytes,
      keepMs: retention.responsesMs,
    },
    responseMemory: { maxHeldBytes: memory.maxHeldAnswerBytes },
    pings: { intervalMs: server.pingIntervalMs ?? DEFAULT_PINGS.intervalMs },
    maxBodyBytes: memory.maxBodyBytes,
    maxUploadBytes: server.maxUploadBytes ?? DEFAULT_SERVER.maxUploadBytes,
    maxSocketsPerAccount: server.maxSocketsPerAccount ?? DEFAULT_SERVER.maxSocketsPerAccount,
    metricsToken: server.metricsToken ?? null,
    trustedProxies: server.trustedProxies ?? [],
    publicUrl: server.publicUrl ?? null,
    corsOrigins: server.corsOrigins ?? ('*' as const),
    wrongKeysPerMinute: server.wrongKeysPerMinute ?? DEFAULT_SERVER.wrongKeysPerMinute,
    bodyMemoryBytes: memory.bodyMemoryBytes,
    managementRequestsPerMinute: server.managementRequestsPerMinute ?? defaults.managementRequestsPerMinute,
    anonymousRequestsPerMinute: server.anonymousRequestsPerMinute ?? defaults.anonymousRequestsPerMinute,
    anonymousRequestsInFlight: server.anonymousRequestsInFlight ?? DEFAULT_SERVER.anonymousRequestsInFlight,
  };
}

/** The same rules keep media and accounts' channels out of the gateway's own network. */
function openUpstream({ configuration, proxies }: ServeOptions) {
  const { allowedRanges, deniedRanges } = configuration.media;
  const upstreamGuard = new UpstreamGuard({ allowedRanges, deniedRanges });
  return { upstream: new HttpUpstream({ proxies, guard: upstreamGuard }), upstreamGuard };
}

async function openCache(options: ServeOptions): Promise<OpenCache> {
  const { configuration, logger } = options;
  const settings = configuration.cache;
  const store = await openEntries(options);
  const { embeddings, indexBytes } = settings.semantic;
  const index =
    embeddings === 'none' ? null : new ThreadedQuestionIndex({ store, logger, indexBytes, sleep: options.sleep });
  return { settings, store, index };
}

async function openEntries({
  clock,
  configuration,
  dataDirectory,
  redisUrl,
  redisPatience,
  secret,
  logger,
  membership,
}: ServeOptions) {
  const settings = configuration.cache;
  const dataFolder = dataDirectory;
  // The rest of the memory is for answers in their serialized form.
  const memoryBytes = settings.memoryBytes * (1 - REPLAYED_SHARE);
  const place = { clock, dataFolder, redisUrl, redisPatience, masterSecret: secret };
  // In a group, the first process owns the folder.
  const isGateway = membership?.speaks !== false;
  const store = await openCacheStore({ settings: { ...settings, memoryBytes }, ...place, logger, isGateway });
  if (membership === null || redisUrl !== null) return store;
  membership.offered.lookAtCache = () => store.look();
  return cacheInGroup(store, () => membership.group.lookAtCaches().catch(() => {}));
}

/** Opens the folder for files of forms, and removes what an earlier process has left. */
async function openUploadFolder({ dataDirectory, configuration, logger }: ServeOptions): Promise<UploadFolder> {
  const folder = new UploadFolder({
    path: join(dataDirectory, 'tmp', 'uploads'),
    totalBytes: configuration.server.uploadDiskBytes ?? DEFAULT_SERVER.uploadDiskBytes,
    logger,
  });
  await folder.sweep();
  return folder;
}

/** Updates the directory from the file, the environment and this machine. */
async function prepare(options: ServeOptions, upstream: Upstream): Promise<void> {
  const { clock, store, configuration, environment, logger } = options;
  const declared = configuration.path === null ? null : configuration;
  const actor = { kind: 'file', name: configuration.path ?? 'configuration' } as const;
  const file = changesBy(options, actor);
  const applied = declared ? await applyConfiguration(file.directory, clock, declared) : null;
  const alerting = { alerts: store.alerts, clock, origin: localOrigin(actor) };
  if (declared) await applyAlerts(alerting, declared.alerts);
  const opening = declared ? await grantOpeningBalances(file, clock, declared) : null;
  for (const { accountId, amountNanoUsd } of opening?.granted ?? []) {
    logger.info({ accountId, amountUsd: formatNanoUsd(amountNanoUsd) }, 'opening balance granted');
  }
  const discovered = configuration.channels.length
    ? []
    : await discoverLocalProviders(providers, environment, upstream);
  const { sandbox } = configuration;
  const found = changesBy(options, { kind: 'environment', name: 'start of the gateway' });
  const synced = await syncEnvironmentChannels(found.directory, {
    environment,
    providers,
    discovered,
    sandbox,
  });
  const made = [...(applied?.notices ?? []), ...(opening?.notices ?? []), ...synced.notices];
  for (const notice of [...made, ...(await blockedChannels(store.directory))])
    logger.warn({ notice }, 'a notice about the configuration');
}

/** Returns a store that records this actor's changes in the audit log. */
function changesBy({ store, clock }: Pick<ServeOptions, 'store' | 'clock'>, actor: LocalActor): AuditedStore {
  return auditedStore(store, { origin: localOrigin(actor), clock });
}

/** Returns one sentence for each PLATFORM channel that is blocked because its credentials were refused. */
async function blockedChannels(directory: DirectoryStore): Promise<string[]> {
  const { channels } = await directory.read(PLATFORM);
  const notices: string[] = [];
  for (const { id, block } of channels) {
    if (block === null) continue;
    notices.push(
      `channel ${id} is blocked: ${block.reason.replace(/\.$/, '')}. Renew its credentials, or run "switchyard channels enable ${id}"`,
    );
  }
  return notices;
}
