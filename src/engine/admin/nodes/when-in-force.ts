import type { Clock } from '../../ports/clock.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import type { GatewayNode, NodeRegistry, VersionsInForce } from '../../ports/node-registry.ts';

export interface InForcePorts {
  readonly directory: Pick<DirectoryStore, 'state'>;
  readonly nodes: Pick<NodeRegistry, 'living'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly sleep: (ms: number) => Promise<void>;
}

export interface InForce {
  /** The nodes that serve by the changed directory. */
  readonly confirmed: readonly GatewayNode[];
  /** The nodes that have not confirmed the change in time. */
  readonly unconfirmed: readonly GatewayNode[];
}

/** How long a change waits for the nodes before its answer names those that have not applied it. */
export const USUAL_PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 20;

/**
 * Resolves when every live node serves the current directory, or when `patienceMs` have passed. Rejects if the store cannot be reached.
 */
export async function whenInForce(ports: InForcePorts, patienceMs: number = USUAL_PATIENCE_MS): Promise<InForce> {
  const { directory, nodes, clock, sleep } = ports;
  const deadlineMs = clock.monotonicMs() + patienceMs;
  const wanted = await directory.state();
  for (;;) {
    const living = await nodes.living();
    const unconfirmed = living.filter((node) => isBehind(node, wanted));
    if (unconfirmed.length === 0 || clock.monotonicMs() >= deadlineMs) {
      return { confirmed: living.filter((node) => !unconfirmed.includes(node)), unconfirmed };
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function isBehind(node: VersionsInForce, wanted: VersionsInForce): boolean {
  return node.accessVersion < wanted.accessVersion || node.servingVersion < wanted.servingVersion;
}
