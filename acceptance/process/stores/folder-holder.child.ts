import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/** Opens the data folder of its first argument exclusively, prints `open`, and holds it until killed. */
const silent = () => {};
await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'lock',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  exclusive: true,
});
process.stdout.write('open\n');
setInterval(() => {}, 1_000_000);
