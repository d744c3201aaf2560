import {
  randomAnswer,
  sampleCacheEntry,
  sampleQuestion,
} from '../../../src/engine/ports/testing/sample-cache-entry.ts';
import { TEST_CACHE } from '../../../src/stores/shared/testing/cache-contract.ts';
import { openDiskCache } from '../../../src/stores/sqlite/cache.ts';

/** A gateway for crash tests: puts entries into the cache of the folder without end, and prints how many it stored. */
const MIB = 1024 * 1024;
const silent = () => {};
const [path = '', run = ''] = process.argv.slice(2);
const store = await openDiskCache({
  settings: { ...TEST_CACHE, memoryBytes: MIB, diskBytes: 24 * MIB },
  path,
  masterSecret: 'master',
  isOwner: true,
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
for (let index = 0; ; index++) {
  const length = 1_000 + Math.floor(Math.random() ** 4 * 400_000);
  const fields = { answer: randomAnswer(length), question: index % 3 === 0 ? sampleQuestion('p') : null };
  store.put(sampleCacheEntry(`${run} ${index}`, { ...fields, accountId: `account-${index % 5}` }));
  if (index % 40 === 39) await store.invalidate(sampleCacheEntry(`${run} ${index - 5}`), Date.now() + 60_000);
  await Bun.sleep(1);
  store.look();
  process.stdout.write(`${store.statistics().beyond?.entries}\n`);
}
