import type { Clock } from '../../engine/ports/clock.ts';
import {
  type GatewayNode,
  NODE_LIVING_MS,
  type NodeFacts,
  type NodeRegistry,
  type VersionsInForce,
} from '../../engine/ports/node-registry.ts';

export class MemoryNodes implements NodeRegistry {
  readonly #nodes = new Map<string, GatewayNode>();
  readonly #clock: Pick<Clock, 'nowMs'>;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
  }

  async beat(node: NodeFacts & VersionsInForce): Promise<void> {
    const { startedAtMs } = this.#nodes.get(node.id) ?? node;
    this.#nodes.set(node.id, { ...node, startedAtMs, lastSeenAtMs: this.#clock.nowMs() });
  }

  async leave(id: string): Promise<void> {
    this.#nodes.delete(id);
  }

  async living(): Promise<readonly GatewayNode[]> {
    const sinceMs = this.#clock.nowMs() - NODE_LIVING_MS;
    const living = [...this.#nodes.values()].filter(({ lastSeenAtMs }) => lastSeenAtMs >= sinceMs);
    return living.sort((a, b) => a.startedAtMs - b.startedAtMs || (a.id < b.id ? -1 : 1));
  }

  onChange(): () => void {
    return () => undefined;
  }
}
