import { sampleTask } from '../../../src/engine/ports/testing/samples.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/**
 * A gateway for crash tests. Opens the data folder exclusively, claims the tasks of earlier gateways, and creates and advances tasks until
 * it is killed. Prints `<task id> <stage> <claim> <progress>` for each durable step.
 */
const round = Number(process.argv[3]);
const owner = `node-${round}`;
const silent = () => {};
const { tasks } = await openSqliteStore({
  path: process.argv[2] ?? '',
  secret: 'crash',
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  exclusive: true,
});
await tasks.alive(owner, round + 1);
let open = [...(await tasks.claim(owner, round, 1_000_000))];
const say = (id: string, stage: string, claim: number, progress: number) =>
  process.stdout.write(`${id} ${stage} ${claim} ${progress}\n`);
for (const { id, stage, claim, progress } of open) say(id, stage, claim, progress ?? 0);

const NEXT = { created: 'submitting', submitting: 'submitted', submitted: 'closing', closing: 'completed' } as const;

for (let step = 1; ; step++) {
  const made = Array.from({ length: 5 }, (_, index) => sampleTask({ id: `task_${round}_${step}_${index}`, owner }));
  await Promise.all(
    made.map(async (task) => {
      await tasks.create(task);
      say(task.id, 'created', task.claim, 0);
    }),
  );
  const moved = [...open, ...made].flatMap((task) => {
    if (task.stage === 'completed' || task.stage === 'failed') return [];
    const stage = NEXT[task.stage];
    const code = 'upstream_error';
    const ending = { kind: 'failed', code, failureKind: 'crash', message: `${round} ${step}` } as const;
    const changes = { stage, progress: step, ...(stage === 'closing' ? { ending } : {}) };
    return [{ task, change: { id: task.id, claim: task.claim, changes } }];
  });
  const done = await tasks.changeAll(moved.map(({ change }) => change));
  if (done.includes(false)) throw new Error('Nobody else has these tasks.');
  for (const { task, change } of moved) say(task.id, change.changes.stage, task.claim, step);
  open = moved.map(({ task, change }) => ({ ...task, stage: change.changes.stage }));
}
