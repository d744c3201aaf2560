import { expect, test } from 'bun:test';
import { SHORT_PLAN } from './plan.ts';
import { runChaos } from './run.ts';

/* Independent of the machine's speed: the plan decides when faults begin, and nothing measures durations. */

const SEED = 35;
const CUSTOMERS = 12;
const TIMEOUT_MS = 300_000;

test(
  'three gateways keep every law through kills, pauses, cut connections, lost data and hanging providers',
  async () => {
    const said: string[] = [];
    const result = await runChaos({
      seed: SEED,
      plan: SHORT_PLAN,
      customers: CUSTOMERS,
      say: (line) => said.push(line),
    });
    expect(result.laws.filter(({ problems }) => problems.length > 0)).toEqual([]);
    expect(said).toHaveLength(SHORT_PLAN.hard.length + SHORT_PLAN.soft.length);
    expect(result.statuses[200]).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
