import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/*
 * Proves that no test depends on the machine's speed: runs the tests repeatedly while a busy loop of higher priority occupies each core.
 * More batches than usual run at a time, which adds load. `bun tools/test/loaded.ts [--times 5] [arguments of tools/test/run.ts]`; needs root,
 * since priorities are raised.
 */

const RUNNER = join(import.meta.dir, 'run.ts');
const DEFAULT_TIMES = 5;
const AT_A_TIME = 8;
const LOOP = ['nice', '-n', '-5', 'sh', '-c', 'while :; do :; done'];

const args = process.argv.slice(2);
const at = args.indexOf('--times');
const times = at === -1 ? DEFAULT_TIMES : Number(args.splice(at, 2)[1]);
if (!Number.isInteger(times) || times < 1) {
  console.error('loaded: --times must be a whole number of 1 or more');
  process.exit(2);
}

const loops = Array.from({ length: availableParallelism() }, () =>
  Bun.spawn(LOOP, { stdio: ['ignore', 'ignore', 'ignore'] }),
);
process.on('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

let failures = 0;
for (let round = 1; round <= times; round++) {
  const child = Bun.spawn([process.execPath, RUNNER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SWITCHYARD_TEST_AT_A_TIME: String(AT_A_TIME) },
  });
  const output = await child.stdout.text();
  if ((await child.exited) !== 0) {
    failures++;
    console.log(output);
  }
  // The last two lines say how much CPU the tests took and how many have passed.
  const summary = output.trimEnd().split('\n').slice(-2).reverse().join('; ');
  console.log(`loaded run ${round} of ${times}: ${summary}`);
}
process.exit(failures === 0 ? 0 : 1);
