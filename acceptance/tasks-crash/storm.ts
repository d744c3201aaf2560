import { inParallel } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';
import type { CrashBed } from './bed.ts';
import type { Clients, KnownTask } from './clients.ts';
import { type HostileProvider, MOMENTS, type Moment } from './hostile-provider.ts';

const BUYERS = 24;
const MOST_PAUSE_MS = 100;
const WATCHERS = 8;
const WATCH_PAUSE_MS = 40;
/** The share of a round's tasks whose ids clients have before its kill is armed. */
const SHARE_BEFORE = 0.7;
/** The most times that the moment of a round occurs before the kill. */
const MOST_MOMENTS = 12;
/** A gateway that has not reached its moment by then is killed anyway. */
const LONGEST_ROUND_MS = 1_000;

export interface Storm {
  readonly bed: CrashBed;
  readonly provider: HostileProvider;
  readonly clients: Clients;
  /** The storm ends after `kills` kills, when clients have the ids of `tasks` tasks. */
  readonly tasks: number;
  readonly kills: number;
  /** Called after each kill, before the gateway is started again. */
  readonly afterKill?: () => Promise<unknown>;
}

/** Creates videos while gateways are killed at every kind of moment and restarted. Resolves to those moments. */
export async function storm({ bed, provider, clients, tasks, kills, afterKill }: Storm): Promise<readonly Moment[]> {
  const killed: Moment[] = [];
  const isOver = () => killed.length >= kills && clients.tasks.length >= tasks;
  /** The number of tasks at the end of the round. */
  const wanted = () => (tasks * (killed.length + 1)) / kills;
  const buying = inParallel(BUYERS, BUYERS, async () => {
    while (!isOver()) {
      if (clients.tasks.length < wanted()) await clients.create();
      await Bun.sleep(Math.random() * MOST_PAUSE_MS);
    }
  });
  const watching = watch(clients, isOver);
  while (killed.length < kills) {
    const moment = MOMENTS[killed.length % MOMENTS.length] ?? 'asked';
    const node = killed.length % bed.count;
    const before = wanted() - ((1 - SHARE_BEFORE) * tasks) / kills;
    await until(`clients have ${before} tasks`, () => clients.tasks.length >= before);
    await killAt(moment, 1 + Math.floor(Math.random() * MOST_MOMENTS), provider, () => bed.kill(node));
    await afterKill?.();
    await bed.serve(node);
    killed.push(moment);
  }
  await Promise.all([buying, watching]);
  return killed;
}

/** Kills at the moment itself, within the provider's turn of the event loop. */
async function killAt(moment: Moment, times: number, provider: HostileProvider, kill: () => Promise<unknown>) {
  let left = times;
  const killing = new Promise<unknown>((resolve) => {
    const now = () => {
      clearTimeout(timer);
      provider.onMoment = () => undefined;
      resolve(kill());
    };
    const timer = setTimeout(now, LONGEST_ROUND_MS);
    provider.onMoment = (seen) => {
      if (seen === moment && --left === 0) now();
    };
  });
  await killing;
}

/** Polls all tasks in turn, including final ones. */
async function watch(clients: Clients, isOver: () => boolean): Promise<void> {
  let next = 0;
  await inParallel(WATCHERS, WATCHERS, async () => {
    while (!isOver()) {
      const { tasks } = clients;
      const open = tasks.filter(({ told }) => told === null);
      const from: readonly KnownTask[] = next % 4 === 0 ? tasks : open;
      const task = from[next++ % Math.max(1, from.length)];
      if (task !== undefined) await clients.lookAlone(task);
      await Bun.sleep(WATCH_PAUSE_MS);
    }
  });
}

/** Waits until no task is open, including those whose clients got no response. */
export async function untilAllAreFinal({ bed }: Pick<Storm, 'bed'>, withinMs: number): Promise<void> {
  let left = '';
  const isDone = async () => {
    const rows = await bed.query<{ readonly stage: string; readonly tasks: bigint }>(
      `SELECT stage, count(*) AS tasks FROM tasks WHERE stage NOT IN ('completed', 'failed') GROUP BY stage`,
    );
    left = rows.map(({ stage, tasks }) => `${tasks} ${stage}`).join(', ');
    if (rows.length > 0) await Bun.sleep(100);
    return rows.length === 0;
  };
  await until('all tasks are final', isDone, withinMs).catch(() => {
    throw new Error(`tasks that are not final after ${withinMs} ms: ${left}`);
  });
}
