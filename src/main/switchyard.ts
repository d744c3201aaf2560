import { endOnSignals } from './first-process.ts';
import { restartWithSettings } from './process-limits.ts';
import { delayCompilation } from './start-compilation.ts';

const stopEnding = endOnSignals();
const given = process.argv.slice(2);
const argv = given.length === 0 ? ['serve'] : given;
const restarted = restartWithSettings(argv, process.env);
if (restarted !== null) {
  stopEnding();
  process.exit(await restarted);
}

const compileAsUsual = delayCompilation();
// Loaded late: a process that only waits for its child does not need it.
const { run } = await import('./run.ts');
await run(argv, { stopEnding, compileAsUsual });
