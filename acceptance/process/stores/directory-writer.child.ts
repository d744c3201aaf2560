import { sampleAccount, sampleModel } from '../../../src/engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/**
 * A writer for crash tests. Its arguments are a path and a number of generations. Writes each generation in one transaction over many rows,
 * and prints which one is durable.
 */
const ROWS = 50;
const generations = Number(process.argv[3]);
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'crash',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
for (let generation = 1; generation <= generations; generation++) {
  await store.directory.write('all', (writer) => {
    for (let index = 0; index < ROWS; index++) {
      writer.putAccount(sampleAccount({ id: `a${index}`, name: String(generation) }));
      writer.putModel(sampleModel({ id: `m${index}`, ownedBy: String(generation) }));
    }
  });
  process.stdout.write(`${generation}\n`);
}
await store.close();
