import { Customers } from './customers.ts';
import { runFaults } from './faults.ts';
import type { Plan } from './plan.ts';
import { openChaosSite } from './site.ts';
import { judge, type Law } from './verdict.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly plan: Plan;
  readonly customers: number;
  /** Receives one line per fault. */
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly laws: readonly Law[];
  /** The number of faults of each kind, and of requests with each status. */
  readonly faults: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Runs three gateways under load and faults, and resolves to the verdict. */
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
