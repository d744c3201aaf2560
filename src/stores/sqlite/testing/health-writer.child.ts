import { sampleChannel, sampleHealth } from '../../shared/testing/samples.ts';
import { openSqliteStore } from '../sqlite-store.ts';

/**
 * Run by a test, as the gateway beside a command line: opens the path of its first argument, says `ready` on its standard
 * output, and writes as many generations of health as its second says, each over many rows and until it is not refused.
 */
const ROWS = 50;
const generations = Number(process.argv[3]);
const silent = () => {};
const store = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'health',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
await store.directory.write('all', (writer) => writer.putChannel(sampleChannel()));
process.stdout.write('ready\n');
for (let requests = 1; requests <= generations; requests++) {
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
