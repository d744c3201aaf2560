import { seededRandom } from '../../src/domain/routing/testing/seeded-random.ts';

/* The order and times of faults, derived from a seed. */

export const NODES = 3;

/** Faults that hit gateways or the database. They run one at a time, because a gateway cannot start without its database. */
const HARD = ['kill', 'restart', 'freeze', 'database-pause', 'database-cut', 'node-cut-off'] as const;
/** Faults that hit Redis or the providers. One of them may run at the same time as one of `HARD`. */
const SOFT = ['redis-flush', 'redis-restart', 'redis-pause', 'upstream-hang'] as const;

export type FaultKind = (typeof HARD)[number] | (typeof SOFT)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** The index of the gateway. Ignored if the fault affects all of them. */
  readonly node: number;
  /** Milliseconds since the end of the previous fault. */
  readonly afterMs: number;
  readonly lastsMs: number;
}

/** Two sequences of faults that run in parallel. */
export interface Plan {
  readonly hard: readonly Fault[];
  readonly soft: readonly Fault[];
}

/** Longer than a gateway keeps its leases without the database. */
const LEASES_LOST_MS = 13_000;

/**
 * Returns faults that fill about `seconds` seconds; the last one may end later. A plan of two minutes contains every kind of fault, and a
 * database pause that is long enough for the gateways to lose their leases.
 */
export function randomPlan(seed: number, seconds: number): Plan {
  const random = seededRandom(seed);
  const between = (least: number, most: number) => Math.round(least + random() * (most - least));
  const row = (kinds: readonly FaultKind[], first: readonly Fault[]) => {
    const faults = [...first];
    let passedMs = faults.reduce((sum, { afterMs, lastsMs }) => sum + afterMs + lastsMs, 0);
    let left: FaultKind[] = [];
    for (;;) {
      // Uses each kind once before any is repeated.
      if (left.length === 0) left = [...kinds];
      const [kind = 'kill'] = left.splice(between(0, left.length - 1), 1);
      const fault = { kind, node: between(0, NODES - 1), afterMs: between(500, 3_000), lastsMs: between(300, 6_000) };
      passedMs += fault.afterMs + fault.lastsMs;
      if (passedMs > seconds * 1_000) return faults;
      faults.push(fault);
    }
  };
  const long = { kind: 'database-pause', node: 0, afterMs: 3_000, lastsMs: LEASES_LOST_MS } as const;
  return { hard: row(HARD, seconds >= 60 ? [long] : []), soft: row(SOFT, []) };
}

/** Nearly every kind of fault within about twelve seconds. */
export const SHORT_PLAN: Plan = {
  hard: [
    { kind: 'database-pause', node: 0, afterMs: 1_500, lastsMs: 1_500 },
    { kind: 'kill', node: 1, afterMs: 800, lastsMs: 200 },
    { kind: 'database-cut', node: 0, afterMs: 500, lastsMs: 0 },
    { kind: 'freeze', node: 2, afterMs: 500, lastsMs: 1_500 },
    { kind: 'node-cut-off', node: 0, afterMs: 300, lastsMs: 1_000 },
  ],
  soft: [
    { kind: 'upstream-hang', node: 0, afterMs: 500, lastsMs: 1_500 },
    { kind: 'redis-flush', node: 0, afterMs: 1_000, lastsMs: 0 },
    { kind: 'redis-pause', node: 0, afterMs: 1_000, lastsMs: 1_500 },
    { kind: 'redis-restart', node: 0, afterMs: 1_000, lastsMs: 700 },
  ],
};
