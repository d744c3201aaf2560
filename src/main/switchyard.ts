import { restartWithSettings } from './process-limits.ts';

const argv = process.argv.slice(2);
const restarted = restartWithSettings(argv, process.env);
if (restarted !== null) process.exit(await restarted);

// Not before: a process that only waits for another one needs nothing of this.
const { run } = await import('./run.ts');
await run(argv);
