import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  cacheEntryId,
  digestOf,
  randomAnswer,
  sampleCacheEntry,
} from '../src/engine/ports/testing/sample-cache-entry.ts';
import { DEFAULT_CACHE } from '../src/engine/settings/settings.ts';
import { openDiskCache } from '../src/stores/sqlite/cache.ts';

/*
 * Many distinct answers through a small cache: memory over time, the size of the file, and event loop stalls. `npm run bench:cache-traffic
 * -- [--megabytes 1024] [--memory 64] [--disk 256] [--per-second 100] [--plain] [--folder …]`; sizes are in MiB, and `--per-second` is the
 * rate of writes in MiB (0: unlimited). It takes about 15 seconds.
 */

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    memory: { type: 'string', default: '64' },
    disk: { type: 'string', default: '256' },
    'per-second': { type: 'string', default: '100' },
    plain: { type: 'boolean', default: false },
    folder: { type: 'string', default: tmpdir() },
  },
});

const MIB = 1024 * 1024;
const [TRAFFIC, MEMORY, DISK, PER_SECOND] = [values.megabytes, values.memory, values.disk, values['per-second']].map(
  (megabytes) => Number(megabytes) * MIB,
) as [number, number, number, number];
const LEAST_BYTES = 1_000;
const MOST_BYTES = 500_000;
const ACCOUNTS = 20;
const REPORTS = 8;
const mib = (bytes: number) => `${(bytes / MIB).toFixed(1).padStart(7)} MiB`;

const folder = mkdtempSync(join(values.folder, 'switchyard-bench-cache-'));
const path = join(folder, 'cache.sqlite');
const say = (fields: object, message: string) => console.log(message, fields);
const store = await openDiskCache({
  settings: { ...DEFAULT_CACHE, memoryBytes: MEMORY, diskBytes: DISK, encrypt: !values.plain },
  path,
  masterSecret: 'a secret only for the benchmark',
  isOwner: true,
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: say, info: say, warn: say, error: say },
});

function fileBytes(): number {
  const sizes = ['', '-wal', '-shm'].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Records the delays of a timer that is due every millisecond. */
function watchStalls() {
  const late: number[] = [];
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    late.push(now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    late.sort((one, other) => one - other);
    const at = (share: number) => Math.max(0, late[Math.floor((late.length - 1) * share)] ?? 0).toFixed(1);
    return `${at(0.5)} ms (median), p99 ${at(0.99)} ms, max ${at(1)} ms`;
  };
}

/** Returns a random length, mostly small, like those of answers. */
const lengthOf = () => Math.floor(LEAST_BYTES + Math.random() ** 3 * (MOST_BYTES - LEAST_BYTES));
const source = randomAnswer(2 * MOST_BYTES);

function putOne(index: number): number {
  const length = lengthOf();
  const start = Math.floor(Math.random() * (source.length - length));
  const answer = source.slice(start, start + length);
  store.put(sampleCacheEntry(`k${index}`, { answer, accountId: `account-${index % ACCOUNTS}` }));
  return length;
}

let putMs = 0;
let [sent, index, reported, peakFile] = [0, 0, 0, 0];
console.log(`${mib(TRAFFIC)} of responses through ${mib(MEMORY)} of memory and ${mib(DISK)} of disk`);
console.log(`  before: RSS ${mib(process.memoryUsage.rss())}`);
const stopWatching = watchStalls();
const startedMs = performance.now();
const looking = setInterval(() => store.look(), 1_000);
while (sent < TRAFFIC) {
  const isAhead = PER_SECOND > 0 && sent > ((performance.now() - startedMs) / 1_000) * PER_SECOND;
  if (isAhead || index % 8 === 0) await Bun.sleep(isAhead ? 1 : 0);
  const began = performance.now();
  sent += putOne(index);
  putMs += performance.now() - began;
  index += 1;
  if (index % 100 === 0) peakFile = Math.max(peakFile, fileBytes());
  if (sent < (TRAFFIC / REPORTS) * (reported + 1)) continue;
  reported += 1;
  console.log(`  after ${mib(sent)}: RSS ${mib(process.memoryUsage.rss())}, file and WAL ${mib(fileBytes())}`);
}
const seconds = (performance.now() - startedMs) / 1_000;
console.log(`  event loop delay ${stopWatching()}`);
clearInterval(looking);
console.log(`  ${index} responses in ${seconds.toFixed(1)} s, ${((putMs / index) * 1_000).toFixed(1)} µs per put`);
await store.list({ limit: 1, before: null, accountId: null });
const { memory, beyond } = store.statistics();
console.log(`  memory: ${memory.entries} entries, ${mib(memory.bytes)} accounted`);
console.log(`  disk: ${beyond?.entries} entries, ${mib(beyond?.bytes ?? 0)}; peak file size ${mib(peakFile)}`);

const hot = digestOf(`k${index - 1}`);
const ROUNDS = 1_000_000;
const hitsFrom = performance.now();
for (let round = 0; round < ROUNDS; round++) store.find(hot);
console.log(`  a hit in memory: ${(((performance.now() - hitsFrom) / ROUNDS) * 1_000_000).toFixed(0)} ns`);
const reads: number[] = [];
for (let back = index - 1; back >= 0 && reads.length < 500; back--) {
  const before = store.statistics().memory.entries;
  const from = performance.now();
  const found = await store.find(digestOf(`k${back}`));
  const took = performance.now() - from;
  // Only a read from disk changes the number of entries in memory.
  if (found?.id === cacheEntryId(`k${back}`) && store.statistics().memory.entries !== before) reads.push(took);
}
reads.sort((one, other) => one - other);
if (reads.length > 0) {
  const at = (share: number) => (reads[Math.floor((reads.length - 1) * share)] ?? 0).toFixed(2);
  console.log(`  a hit on the disk: ${at(0.5)} ms (median), p99 ${at(0.99)} ms`);
}
await store.close();
rmSync(folder, { recursive: true });
