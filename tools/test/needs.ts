import { test } from 'bun:test';

/**
 * A `test` for what needs something that a machine may lack. Where it is lacking the test is skipped, and the reason
 * stands in its name, where the runner finds it:
 *
 *     const redisTest = testNeeding('redis-server', Bun.which('redis-server') !== null);
 *     redisTest('two nodes share a limit', async () => { … });
 */
export function testNeeding(
  requirement: string,
  isPresent: boolean,
): (name: string, body: () => void | Promise<void>, timeoutMs?: number) => void {
  return (name, body, timeoutMs) => {
    if (isPresent) test(name, body, timeoutMs);
    else test.skip(`${name} [needs: ${requirement}]`, body);
  };
}
