import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.ts';
import type { Script } from './scripts.ts';

export type RedisClient = Redis | Cluster;

const CONNECT_TIMEOUT_MS = 2_000;
/** A connection on which commands wait this long for any answer is given up, and another one is made. */
const SILENT_SOCKET_MS = 1_000;
const LONGEST_RECONNECT_MS = 1_000;

/**
 * How many times as long as a gateway does one waits for Redis. It is for tests: what a server that has not got its share of a
 * busy machine answers late is no outage to them, except where that is the question.
 */
export type Patience = () => number;

export const notPatient: Patience = () => 1;

const reconnectMs = (attempt: number) => Math.min(50 * attempt, LONGEST_RECONNECT_MS);

/**
 * A client that never keeps commands for later: what cannot be sent now, or was sent when the connection broke, fails at once.
 * It connects again by itself for as long as it takes.
 */
export function openClient(address: RedisAddress, patience: Patience = notPatient): RedisClient {
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS * patience(),
    socketTimeout: SILENT_SOCKET_MS * patience(),
    connectionName: 'switchyard',
    retryStrategy: reconnectMs,
    // A server that has become a replica: the new one is found by connecting again.
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

/** One round trip, but for the first run on a server, which has to be sent the text. Texts in the answer are strings. */
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
 * Bytes for an argument of a script. The client makes a text of every argument, for tracing, even if nobody traces (Bun's
 * channels do not say that they have no subscribers): of 10 KB that takes 150 µs, and of these nothing.
 */
export function bytesArgument(bytes: Buffer): Buffer {
  return Object.defineProperty(bytes, 'toString', untold);
}

/** The same with bytes in the answer. */
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
