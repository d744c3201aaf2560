import { until } from '../../conformance/shared/until.ts';
import type { RedisServer } from '../../src/stores/redis/testing/redis-server.ts';

/** Waits until each gateway has announced itself after the last one started, so that each knows of all. */
export async function untilAllKnow(redis: RedisServer): Promise<void> {
  const scores = async () => {
    const lines = (await redis.run('zrange', 'switchyard:limits:{gateways}', '0', '-1', 'withscores')).split('\n');
    return lines.filter((_, index) => index % 2 === 1).map(Number);
  };
  const latest = Math.max(...(await scores()));
  await until('all gateways have announced themselves again', async () =>
    (await scores()).every((score) => score > latest),
  );
}
