import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.ts';
import type { Script } from './scripts.ts';

export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 2_000;
/** A connection without any response for this long is closed and replaced. */
const SILENT_SOCKET_MS = 1_000;
const LONGEST_RECONNECT_MS = 1_000;

/**
 * The factor by which waits for Redis are extended in tests, so that a slow response of an overloaded machine does not count as an outage,
 * except in tests about that.
 */
export type Patience = () => number;

export const notPatient: Patience = () => 1;

const reconnectMs = (attempt: number) => Math.min(50 * attempt, LONGEST_RECONNECT_MS);

/**
 * Opens a client that never queues commands: one that cannot be sent now, or was in flight when the connection broke, fails at once. It
 * reconnects by itself without limit.
 */
export function openClient(address: RedisAddress, patience: Patience = notPatient): RedisClient {
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Subscribers subscribe again themselves. Nobody would handle the failure if the connection breaks while the client does it.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS * patience(),
    socketTimeout: SILENT_SOCKET_MS * patience(),
    connectionName: 'switchyard',
    retryStrategy: reconnectMs,
    // The server has become a replica; reconnecting finds the new primary.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
    ...(address.tls ? { tls: {} } : {}),
  } satisfies RedisOptions;
  if (address.kind === 'single') return new Redis({ ...options, ...address.host, db: address.db });
  if (address.kind === 'sentinel') {
    return new Redis({
      ...options,
      sentinels: [...address.hosts],
      name: address.name,
      db: address.db,
      sentinelRetryStrategy: reconnectMs,
      enableTLSForSentinelMode: address.tls,
      ...(address.sentinelPassword === null ? {} : { sentinelPassword: address.sentinelPassword }),
    });
  }
  return new Cluster([...address.hosts], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectMs,
    redisOptions: options,
  });
}

type Argument = string | number | Buffer;

/** Runs a script in one round trip, except for the first run on a server, which must send its text. Strings in the response are decoded. */
export async function run(
  client: RedisClient,
  { lua, sha1 }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> {
  try {
    return await client.evalsha(sha1, keys.length, ...keys, ...args);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return client.eval(lua, keys.length, ...keys, ...args);
  }
}

const untold = { value: () => '' };

/**
 * Returns bytes as a script argument. The client converts every argument to a string for tracing even if nothing traces (Bun's channels do
 * not report that they have no subscribers), which takes 150 µs for 10 KB; this avoids it.
 */
export function bytesArgument(bytes: Buffer): Buffer {
  return Object.defineProperty(bytes, 'toString', untold);
}

/** Does the same, with binary strings in the response. */
export async function runForBytes(
  client: RedisClient,
  { lua, sha1 }: Script,
  keys: readonly string[],
  args: readonly Argument[],
): Promise<unknown> {
  try {
    return await client.callBuffer('evalsha', sha1, keys.length, ...keys, ...args);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return client.callBuffer('eval', lua, keys.length, ...keys, ...args);
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
