import { parseRedisAddress, RedisAddressError } from '../../../stores/redis/address.ts';
import { openClient } from '../../../stores/redis/connection.ts';
import { type Finding, fail, ok } from './finding.ts';

const SUBJECT = 'redis';

/** Checks that Redis accepts the credentials and answers. Nothing is found without `REDIS_URL`. */
export async function checkRedis(url: string | null): Promise<readonly Finding[]> {
  if (url === null) return [];
  let cause: unknown = null;
  try {
    const address = parseRedisAddress(url);
    const client = openClient(address);
    // More precise than the error of the failed connection.
    client.on('error', (error: unknown) => {
      cause ??= error;
    });
    try {
      await client.connect();
      await client.ping();
    } finally {
      client.disconnect();
    }
    return [ok(SUBJECT, `REDIS_URL answers (${address.kind})`)];
  } catch (error) {
    if (error instanceof RedisAddressError) return [fail(SUBJECT, `REDIS_URL: ${error.message}`)];
    const remedy = 'check its host, port, user and password, and that the server runs';
    return [fail(SUBJECT, `REDIS_URL does not answer (${reason(cause ?? error)}): ${remedy}`)];
  }
}

/** Returns a code, or the first word of the server's own error such as `WRONGPASS`; a whole message may repeat the address. */
function reason(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const message = 'message' in error ? String(error.message) : '';
  return /^[A-Z]{4,}/.exec(message)?.[0] ?? 'connection failed';
}
