import { parseArgs } from 'node:util';
import { randomPlan } from './chaos/plan.ts';
import { runChaos } from './chaos/run.ts';
import { told } from './chaos/verdict.ts';

/*
 * Three gateways as processes on PostgreSQL and Redis under load, with faults by a seed, and a verdict at the end:
 *
 *     bun acceptance/chaos.ts [--seed 7] [--seconds 120] [--customers 24]
 *
 * Its exit code is 1 where a law was broken. The same seed makes the same faults at the same times; what the load meets differs.
 */

const { values } = parseArgs({
  options: { seed: { type: 'string' }, seconds: { type: 'string' }, customers: { type: 'string' } },
});

function wholeNumber(name: keyof typeof values, otherwise: number): number {
  const text = values[name];
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) {
    console.error(`--${name} must be a whole number, such as --${name} ${otherwise}; it is "${text}".`);
    process.exit(2);
  }
  return Number(text);
}

const seed = wholeNumber('seed', Math.floor(Math.random() * 1_000_000));
const seconds = wholeNumber('seconds', 120);
const customers = wholeNumber('customers', 24);
const startedMs = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}`);

say(`seed ${seed}, ${seconds} s, ${customers} customers`);
const result = await runChaos({ seed, plan: randomPlan(seed, seconds), customers, say });
const broken = result.laws.filter(({ problems }) => problems.length > 0).length;
console.log(`faults: ${JSON.stringify(result.faults)}`);
console.log(`answers by status: ${JSON.stringify(result.statuses)}`);
console.log(told(result.laws));
console.log(broken === 0 ? `Every law was kept (seed ${seed}).` : `${broken} laws were broken (seed ${seed}).`);
process.exit(broken === 0 ? 0 : 1);
