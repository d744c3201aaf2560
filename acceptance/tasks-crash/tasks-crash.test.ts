import { afterEach, expect, test } from 'bun:test';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { audit } from './audit.ts';
import { CrashBed } from './bed.ts';
import { Clients } from './clients.ts';
import { HostileProvider, MOMENTS } from './hostile-provider.ts';
import { type Storm, storm, untilAllAreFinal } from './storm.ts';

/*
 * Tasks survive their gateways, which are killed before a job is submitted, before its response is stored, during polls and during
 * settlements, while the providers fail in every possible way.
 */

/** One per kind of moment. Run more with `SWITCHYARD_CRASH_KILLS=100 bun test ./acceptance/tasks-crash/tasks-crash.test.ts`. */
const KILLS = Number(process.env.SWITCHYARD_CRASH_KILLS ?? MOMENTS.length);
const TASKS = 50 * KILLS;
const FINAL_WITHIN_MS = 300_000;
const TIMEOUT_MS = 600_000 + KILLS * 3_000;

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
}, 600_000);

function ending<Thing extends { stop(): Promise<void> }>(thing: Thing): Thing {
  endings.push(() => thing.stop());
  return thing;
}

/** Runs the storm, waits until all tasks are final, and then checks the books. */
async function weather(options: Omit<Storm, 'tasks' | 'kills'>): Promise<void> {
  const { bed, provider, clients } = options;
  const moments = await storm({ ...options, tasks: TASKS, kills: KILLS });
  provider.isCalm = true;
  await untilAllAreFinal(options, FINAL_WITHIN_MS);
  const before = await audit(bed, provider, clients);
  expect(before.problems.slice(0, 20)).toEqual([]);
  // Final tasks stay final, also for gateways that start later.
  await clients.lookAtAll();
  for (let node = 0; node < bed.count; node++) await bed.kill(node);
  await bed.serveHere();
  await clients.lookAtAll();
  expect(clients.problems).toEqual([]);
  expect(clients.tasks.filter(({ told }) => told === null)).toEqual([]);
  // The test proves little unless every kind of moment occurred.
  expect(new Set(moments).size).toBe(Math.min(KILLS, MOMENTS.length));
  expect(clients.statuses.get(0)).toBeGreaterThan(0);
  expect(before.completed).toBeGreaterThan(TASKS / 2);
  const said = [...before.errors.keys()].join('\n');
  expect(said).toContain('The gateway was interrupted while it sent the request');
  expect(said).toContain('The machine has melted');
  if (process.env.SWITCHYARD_CRASH_KILLS !== undefined) console.log(before, clients.statuses, moments);
}

test(
  `${TASKS} tasks on SQLite survive repeated kills of their gateway`,
  async () => {
    const provider = ending(await HostileProvider.start());
    const providers = ['xai', 'kling', 'openai'] as const;
    const bed = ending(await CrashBed.start({ provider, providers, nodes: 1, rehost: true }));
    await weather({ bed, provider, clients: new Clients(bed, providers) });
  },
  TIMEOUT_MS,
);

test(
  `${TASKS} tasks on PostgreSQL survive repeated kills of one of two gateways, and take-overs from the living`,
  async () => {
    const postgres = await sharedTestPostgres();
    const databaseUrl = await postgres.createDatabase();
    const provider = ending(await HostileProvider.start());
    // Files that must be copied are in the folder of one node.
    const providers = ['xai', 'kling'] as const;
    const bed = ending(await CrashBed.start({ provider, providers, nodes: 2, rehost: false, databaseUrl }));
    // Expires both nodes, so that tasks of the dead and of the living one are taken over.
    const afterKill = () => bed.query('UPDATE task_owners SET alive_until_ms = 0');
    await weather({ bed, provider, clients: new Clients(bed, providers), afterKill });
  },
  TIMEOUT_MS,
);
