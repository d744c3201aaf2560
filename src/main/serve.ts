import type { Server } from 'bun';
import type { Logger } from 'pino';
import { Failure } from '../domain/failure/failure.ts';
import { formatNanoUsd } from '../domain/money/nano-usd.ts';
import { applyConfiguration } from '../engine/admin/apply-configuration.ts';
import type { Configuration } from '../engine/admin/configuration.ts';
import { ensureFirstKey } from '../engine/admin/ensure-first-key.ts';
import { grantOpeningBalances } from '../engine/admin/grant-opening-balances.ts';
import { syncEnvironmentChannels } from '../engine/admin/sync-environment-channels.ts';
import { PageTokens } from '../engine/discovery/page-token.ts';
import type { DirectoryStore } from '../engine/ports/directory-store.ts';
import { DEFAULT_MEDIA_SETTINGS } from '../engine/ports/media-fetcher.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import { type BillingSettings, DEFAULT_BILLING } from '../engine/shared/billing-settings.ts';
import { DEFAULT_DISCOVERY } from '../engine/shared/discovery-settings.ts';
import { DEFAULT_ROUTING } from '../engine/shared/routing-settings.ts';
import { providers } from '../providers/index.ts';
import { MemoryRateCounters } from '../stores/memory/rate-counters.ts';
import { RedisRateCounters } from '../stores/redis/rate-counters.ts';
import { HttpUpstream } from '../upstream/http-upstream.ts';
import { createMediaFetcher } from '../upstream/media-fetcher.ts';
import type { OpenedStore } from './cli/context.ts';
import { discoverLocalProviders } from './discovery.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { derivedKey, systemClock } from './system.ts';

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly configuration: Configuration | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly store: OpenedStore;
  /** The master secret: page tokens are signed with a key made from it. */
  readonly secret: string;
  readonly logger: Logger;
  readonly behindProxy: boolean;
  readonly redisUrl: string | null;
  /** Lines for the person at the terminal. */
  readonly print: (line: string) => void;
}

/** An error that ends the command with its message alone. */
export class ServeError extends Error {}

const DEFAULT_MAX_BODY_BYTES = 50 * 1024 * 1024;
const DEFAULT_SHUTDOWN_GRACE_MS = 30_000;
/** A signal again within this time is one that came on two ways: from the terminal to the whole group, and through npm. */
const DOUBLE_DELIVERY_MS = 1_000;

/** Starts the gateway and resolves, with the exit code, when it has stopped. */
export async function serve(options: ServeOptions): Promise<number> {
  const { store, configuration, logger } = options;
  const upstream = new HttpUpstream({ behindProxy: options.behindProxy });
  await prepare(options, upstream);
  const billing = configuration?.billing ?? DEFAULT_BILLING;
  const { counters, close: closeCounters } = await openCounters(options, billing);
  const gateway = await createGateway({
    directory: store.directory,
    requestLog: store.requestLog,
    responses: store.responses,
    health: store.health,
    ledger: store.ledger,
    keyUse: store.keyUse,
    outcomes: store.outcomes,
    snapshots: store.snapshots,
    discovery: configuration?.discovery ?? DEFAULT_DISCOVERY,
    pageTokens: new PageTokens(derivedKey(options.secret, 'page tokens')),
    counters,
    billing,
    routing: configuration?.routing ?? DEFAULT_ROUTING,
    logger,
    maxBodyBytes: configuration?.server.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    upstream,
    mediaFetcher: createMediaFetcher({ settings: configuration?.media ?? DEFAULT_MEDIA_SETTINGS }),
  });
  const server = listen(options, gateway);
  // Only now is it sure that somebody will see the key, which is shown once.
  const created = await ensureFirstKey(store.directory, systemClock);
  if (created) await gateway.refresh();
  await announce(options, gateway, server, created?.secret ?? null);
  await untilSignal();
  await shutDown(options, gateway, server, upstream);
  await closeCounters();
  return 0;
}

/** Brings the directory up to date with the file, the environment and this machine. */
async function prepare({ store, configuration, environment, logger }: ServeOptions, upstream: Upstream): Promise<void> {
  const applied = configuration ? await applyConfiguration(store.directory, systemClock, configuration) : null;
  const opening = configuration ? await grantOpeningBalances(store.ledger, systemClock, configuration) : null;
  for (const { accountId, amountNanoUsd } of opening?.granted ?? []) {
    logger.info({ accountId, amountUsd: formatNanoUsd(amountNanoUsd) }, 'opening balance granted');
  }
  const discovered = configuration?.channels.length
    ? []
    : await discoverLocalProviders(providers, environment, upstream);
  const sandbox = configuration?.sandbox ?? null;
  const synced = await syncEnvironmentChannels(store.directory, {
    environment,
    providers,
    discovered,
    sandbox,
  });
  const made = [...(applied?.notices ?? []), ...(opening?.notices ?? []), ...synced.notices];
  for (const notice of [...made, ...(await blockedChannels(store.directory))]) logger.warn({}, notice);
}

/** Channels that are out of use since their credentials were refused, one sentence each. */
async function blockedChannels(directory: DirectoryStore): Promise<string[]> {
  const { channels } = await directory.read();
  const notices: string[] = [];
  for (const { id, block } of channels) {
    if (block === null) continue;
    notices.push(
      `channel ${id} is out of use: ${block.reason.replace(/\.$/, '')}. Renew its credentials, or run "switchyard channels enable ${id}"`,
    );
  }
  return notices;
}

interface Counters {
  readonly counters: RateCounters;
  close(): Promise<void>;
}

/** In the memory of this gateway, or in Redis where several share it. */
async function openCounters({ redisUrl, logger }: ServeOptions, billing: BillingSettings): Promise<Counters> {
  const local = new MemoryRateCounters(systemClock);
  if (redisUrl === null) return { counters: local, close: async () => undefined };
  const whenAway = billing.whenCountersAreAway;
  try {
    const shared = await RedisRateCounters.connect({ url: redisUrl, whenAway, local, logger });
    return { counters: shared, close: () => shared.close() };
  } catch (error) {
    throw new ServeError(`REDIS_URL: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listen({ host, port }: ServeOptions, gateway: Gateway): Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // The body limit is ours, so that the client gets its own format's 413.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: 120,
      development: false,
      routes: gateway.routes,
      fetch: (request) => gateway.app.fetch(request),
    });
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
    if (code === 'EADDRINUSE') {
      throw new ServeError(`Port ${port} on ${host} is in use. Stop what listens there, or set PORT to another one.`);
    }
    if (code === 'EACCES')
      throw new ServeError(`Port ${port} needs rights that this user does not have. Set PORT to one above 1023.`);
    throw new ServeError(`Cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function announce(
  { store, host, print }: ServeOptions,
  gateway: Gateway,
  server: Server<undefined>,
  firstKey: string | null,
): Promise<void> {
  const address = `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${server.port}`;
  print(`Switchyard listens on ${address}`);
  const { channels } = await store.directory.read();
  const enabled = channels.filter((channel) => channel.enabled);
  print(`Channels: ${enabled.map((channel) => channel.id).join(', ') || 'none'}`);
  if (firstKey === null) return;
  print('');
  print('Your first API key. It is shown only now, so keep it:');
  print(`  ${firstKey}`);
  print('');
  print('Try it:');
  print(curlLine(address, firstKey, gateway.firstChatModel() ?? 'MODEL'));
  print('');
}

function curlLine(address: string, key: string, model: string): string {
  // Within the shell's single quotes only they themselves need care.
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }).replaceAll("'", "'\\''");
  return `  curl ${address}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`;
}

function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // The second time the person means it.
        if (askedAtMs !== null && performance.now() - askedAtMs > DOUBLE_DELIVERY_MS) process.exit(130);
        askedAtMs ??= performance.now();
        resolve();
      });
    }
  });
}

/** No new connections; what runs may finish within the grace period; then answers end with an error, streams with its frame. */
async function shutDown(
  options: ServeOptions,
  gateway: Gateway,
  server: Server<undefined>,
  upstream: Upstream,
): Promise<void> {
  const graceMs = options.configuration?.server.shutdownGraceMs ?? DEFAULT_SHUTDOWN_GRACE_MS;
  const running = gateway.exchange.inFlight;
  if (running > 0)
    options.print(
      `Stopping: waiting up to ${Math.ceil(graceMs / 1000)} s for ${running} running request(s). Press Ctrl-C again to stop now.`,
    );
  gateway.drain();
  const stopped = server.stop(false);
  const deadlineMs = performance.now() + graceMs;
  while (gateway.exchange.inFlight > 0 && performance.now() < deadlineMs) await Bun.sleep(50);
  if (gateway.exchange.inFlight > 0) {
    options.logger.warn({ running: gateway.exchange.inFlight }, 'shutdown grace is over; ending what still runs');
    upstream.interrupt(
      new Failure('shutting_down', {
        message: 'The gateway is shutting down. Send the request again.',
        retryAfterMs: 1000,
      }),
    );
    await Bun.sleep(250);
  }
  await Promise.race([stopped, Bun.sleep(500)]);
  await server.stop(true);
  await gateway.close();
  await options.store.close();
}
