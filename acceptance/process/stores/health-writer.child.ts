import { sampleChannel, sampleHealth } from '../../../src/engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/**
 * Acts as the gateway beside a command: opens the path of its first argument, prints `ready`, and writes generations of health over many
 * rows each, with retries. When standard input ends, prints the last generation.
 */
const ROWS = 50;
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'health',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
let isOver = false;
void Bun.stdin.text().then(() => {
  isOver = true;
});
await store.directory.write('all', (writer) => writer.putChannel(sampleChannel()));
process.stdout.write('ready\n');
let requests = 0;
while (!isOver) {
  requests += 1;
  const rows = Array.from({ length: ROWS }, (_row, index) => sampleHealth({ upstreamModel: `m${index}`, requests }));
  const isWritten = () =>
    store.health.write(rows).then(
      () => true,
      () => false,
    );
  while (!(await isWritten())) await Bun.sleep(5);
  await Bun.sleep(1);
}
await store.close();
process.stdout.write(`${requests}\n`);
