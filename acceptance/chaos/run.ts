import { Customers } from './customers.ts';
import { runFaults } from './faults.ts';
import type { Plan } from './plan.ts';
import { openChaosSite } from './site.ts';
import { judge, type Law } from './verdict.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly plan: Plan;
  readonly customers: number;
  /** Is told of each fault as it happens. */
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly laws: readonly Law[];
  /** How many faults of each kind there were, and requests of each status. */
  readonly faults: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Three gateways under load and faults, and what came of it. */
export async function runChaos({ seed, plan, customers: count, say }: ChaosOptions): Promise<ChaosResult> {
  const site = await openChaosSite();
  try {
    const customers = new Customers(site, seed, count);
    const faults = await runFaults(site, plan, say).finally(() => customers.stop());
    const laws = await judge(site, customers.bought, faults);
    const statuses: Record<string, number> = {};
    for (const { receipt } of customers.bought) statuses[receipt.status] = (statuses[receipt.status] ?? 0) + 1;
    return { laws, faults: Object.fromEntries(faults.counts), statuses };
  } finally {
    await site.stop();
  }
}
