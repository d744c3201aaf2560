import { sampleResponse } from '../../../src/engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/**
 * A writer for crash tests. Stores responses concurrently in the database of its first argument until it is killed, and prints which are
 * durable.
 */
const AT_ONCE = 5;
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'crash',
  clock: { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
for (let round = 0; ; round++) {
  const ids = Array.from({ length: AT_ONCE }, (_, index) => `resp_${process.pid}_${round}_${index}`);
  await Promise.all(
    ids.map(async (id) => {
      await store.responses.put(sampleResponse({ id, inputJson: JSON.stringify(['x'.repeat(20_000)]) }));
      process.stdout.write(`${id}\n`);
    }),
  );
}
