import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/** Built as a single executable by a test. Counts the outcomes in the request log, and prints them as JSON. */
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'counter',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
process.stdout.write(JSON.stringify(await store.outcomes.count(0, Date.now())));
await store.close();
