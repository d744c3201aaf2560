import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { type LedgerVerification, lastVerification } from '../engine/admin/status/store-figures.ts';
import type { Wallets } from '../engine/billing/wallets.ts';
import type { ChannelLimiters } from '../engine/channel-limits/channel-limiters.ts';
import type { RoutingMemory } from '../engine/health/routing-memory.ts';
import type { MailCounts } from '../engine/mail/limited-mailer.ts';
import type { LeaseFigures } from '../engine/ports/figures.ts';
import { embeddingThread } from '../providers/local/in-process/embedding-thread.ts';
import { tokenThread } from '../providers/shared/token-thread.ts';
import type { ResponseSockets } from '../transports/inference/response-sockets.ts';
import { channelLimitMetrics } from '../transports/ops/channel-limit-metrics.ts';
import { ReadFamily } from '../transports/ops/families.ts';
import { hostMetrics } from '../transports/ops/host-metrics.ts';
import type { MetricRegistry } from '../transports/ops/metric-registry.ts';
import type { PrometheusMetrics } from '../transports/ops/prometheus.ts';
import { storeMetrics, usdOf } from '../transports/ops/resource-metrics.ts';
import { BUILD, VERSION } from './build.ts';
import type { CallServices } from './create-calls.ts';
import type { Receiving } from './create-inference.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { DirectoryFigures } from './keep-directory.ts';
import { PublicCertificate } from './public-certificate.ts';

/** The parts of the gateway that measure themselves. */
export interface MeasuredParts {
  readonly metrics: PrometheusMetrics;
  readonly receiving: Pick<Receiving, 'bodyBudget' | 'uploadFolder'>;
  readonly services: Pick<CallServices, 'answers' | 'captures' | 'wallets' | 'realtime' | 'keyUseQueue'>;
  readonly responseSockets: ResponseSockets;
  readonly directory: () => DirectoryFigures;
  readonly channelLimits: ChannelLimiters;
  readonly memory: RoutingMemory;
}

/** Registers the metrics of queues, memories, databases, money and this process; all are read at each scrape. */
export function measureParts(options: GatewayOptions, parts: MeasuredParts): void {
  const { store, cache, mediaFetcher, redisFigures } = options;
  const { metrics, receiving, responseSockets } = parts;
  const { answers, captures, wallets, realtime, keyUseQueue } = parts.services;
  const { registry, resources } = metrics;
  resources.addQueue('charges', () => store.queues.charges);
  resources.addQueue('request_log', () => store.queues.requestLog);
  resources.addQueue('captures', () => captures.queue);
  resources.addQueue('media_fetches', mediaFetcher.queues.fetches);
  resources.addQueue('media_streams', mediaFetcher.queues.streams);
  resources.addQueue('traces', options.telemetry.spanQueue);
  resources.addQueue('logs', options.telemetry.lineQueue);
  resources.addQueue('log', () => options.logger.queue);
  resources.addQueue('key_uses', keyUseQueue);
  resources.addQueue('cache_removals', () => cache.store.figures().removing);
  resources.addQueue('embeddings', () => embeddingThread.queue.figures);
  resources.addQueue('token_counts', () => tokenThread.queue);
  resources.addMemory('request_bodies', () => receiving.bodyBudget.figures);
  resources.addMemory('responses', () => answers.figures);
  resources.addMemory('media', () => mediaFetcher.figures);
  resources.addMemory('uploads', () => receiving.uploadFolder.figures);
  resources.addMemory('captures', () => captures.memory);
  resources.addMemory('realtime', () => realtime.memory);
  resources.addMemory('cache_writes', () => cache.store.figures().writing);
  resources.addRedis(registry, () => {
    const { redis } = cache.store.figures();
    return redis === null ? redisFigures() : [...redisFigures(), redis];
  });
  channelLimitMetrics(registry, parts.channelLimits, () => parts.memory.stated(), metrics.labels);
  storeMetrics(registry, store.figures, store.storeHealth);
  moneyMetrics(registry, wallets, () => store.queues.charges.dropped);
  ledgerMetrics(registry, options);
  processMetrics(registry, parts.directory);
  mailMetrics(registry, options.mailCounts);
  telemetryMetrics(registry, options.telemetry);
  new ReadFamily(registry, 'switchyard_websockets_open', () => [
    { labels: { kind: 'responses' }, value: responseSockets.size },
    { labels: { kind: 'realtime' }, value: realtime.openSessions },
  ]);
  new ReadFamily(registry, 'switchyard_upstream_connections', () => {
    const { used, idle } = options.upstream.connections;
    return [
      { labels: { state: 'used' }, value: used },
      { labels: { state: 'idle' }, value: idle },
    ];
  });
  diskMetrics(registry, options.disks);
  const certificate = new PublicCertificate(options.publicUrl, options.clock);
  hostMetrics(registry, { availableBytes: options.availableBytes, certificate: () => certificate.read() });
}

function moneyMetrics(registry: MetricRegistry, wallets: Wallets, lost: () => number): void {
  new ReadFamily(registry, 'switchyard_leased_usd', () => {
    const figures: LeaseFigures = wallets.figures();
    return (['free', 'reserved', 'charging', 'returning'] as const).map((state) => ({
      labels: { state },
      value: usdOf(figures[state]),
    }));
  });
  new ReadFamily(registry, 'switchyard_lease_requests_total', () => {
    const figures = wallets.figures();
    return (['granted', 'refused', 'failed'] as const).map((outcome) => ({
      labels: { outcome },
      value: figures[outcome],
    }));
  });
  new ReadFamily(registry, 'switchyard_lease_losses_total', () => [{ labels: {}, value: wallets.figures().losses }]);
  new ReadFamily(registry, 'switchyard_lost_charges_total', () => [{ labels: {}, value: lost() }]);
}

/** How long the latest verification is not read again. */
const VERIFICATION_MS = 30_000;

/** Reports the latest verification of the ledger by any process. */
function ledgerMetrics(registry: MetricRegistry, { store, clock }: GatewayOptions): void {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<LedgerVerification | null> = Promise.resolve(null);
  const latest = () => {
    if (clock.monotonicMs() - readAtMs < VERIFICATION_MS) return reading;
    readAtMs = clock.monotonicMs();
    reading = lastVerification(store);
    return reading;
  };
  const each = (value: (found: LedgerVerification) => number) => async () => {
    const found = await latest();
    return found === null ? [] : [{ labels: {}, value: value(found) }];
  };
  new ReadFamily(
    registry,
    'switchyard_ledger_problems',
    each(({ problems }) => problems),
  );
  new ReadFamily(
    registry,
    'switchyard_ledger_verified_timestamp_seconds',
    each(({ atMs }) => atMs / 1_000),
  );
}

function processMetrics(registry: MetricRegistry, directory: () => DirectoryFigures): void {
  const labels = { version: VERSION, commit: BUILD?.commit ?? '', runtime: `Bun ${Bun.version}` };
  new ReadFamily(registry, 'switchyard_build_info', () => [{ labels, value: 1 }]);
  new ReadFamily(registry, 'switchyard_nodes', () => {
    const { nodes } = directory();
    return nodes === null ? [] : [{ labels: {}, value: nodes }];
  });
  new ReadFamily(registry, 'switchyard_configuration_version', () => {
    const { accessVersion, servingVersion } = directory();
    return [
      { labels: { part: 'access' }, value: accessVersion },
      { labels: { part: 'serving' }, value: servingVersion },
    ];
  });
  new ReadFamily(registry, 'switchyard_configuration_lag_seconds', () => [
    { labels: {}, value: directory().lagMs / 1_000 },
  ]);
  new ReadFamily(registry, 'switchyard_configuration_age_seconds', () => [
    { labels: {}, value: directory().ageMs / 1_000 },
  ]);
}

function telemetryMetrics(registry: MetricRegistry, { signals }: GatewayOptions['telemetry']): void {
  new ReadFamily(registry, 'switchyard_telemetry_items_total', () =>
    signals().flatMap((figures) =>
      (['exported', 'failed', 'dropped'] as const).map((outcome) => ({
        labels: { signal: figures.signal, outcome },
        value: figures[outcome],
      })),
    ),
  );
}

function mailMetrics(registry: MetricRegistry, counts: MailCounts | null): void {
  if (counts === null) return;
  new ReadFamily(registry, 'switchyard_mails_total', () =>
    (['sent', 'failed', 'refused'] as const).map((outcome) => ({ labels: { outcome }, value: counts[outcome] })),
  );
}

function diskMetrics(registry: MetricRegistry, disks: GatewayOptions['disks']): void {
  const each = (bytes: (found: StatsFs) => number) => async () =>
    Promise.all(disks.map(async ({ name, path }) => ({ labels: { folder: name }, value: bytes(await statfs(path)) })));
  new ReadFamily(
    registry,
    'switchyard_disk_free_bytes',
    each(({ bavail, bsize }) => bavail * bsize),
  );
  new ReadFamily(
    registry,
    'switchyard_disk_size_bytes',
    each(({ blocks, bsize }) => blocks * bsize),
  );
}
