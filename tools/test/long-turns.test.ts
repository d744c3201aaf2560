import { expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { join } from 'node:path';

/** Runs in a process of its own, since it changes how that runs: prints the nice value and the policy of a command that it starts. */
const SCRIPT = `
  import { takeLongTurns } from ${JSON.stringify(join(import.meta.dir, 'long-turns.ts'))};
  takeLongTurns();
  const stat = Bun.spawnSync(['cat', '/proc/self/stat']).stdout.toString().replace(/^.*\\) /, '').split(' ');
  console.log(JSON.stringify({ nice: stat[16], policy: stat[38] }));
`;
const SCHED_BATCH = '3';

test.if(process.platform === 'linux')('the commands of a run take long turns and keep their priority', () => {
  // A process: the policy of this one would stay changed.
  const { stdout } = Bun.spawnSync(['nice', '-n', '5', process.execPath, '-e', SCRIPT]);
  const nice = String(Math.min(19, getPriority() + 5));
  expect(JSON.parse(stdout.toString())).toEqual({ nice, policy: SCHED_BATCH });
});
