import { z } from 'zod';
import { isoTime } from '../../../engine/admin/view-fields.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { GatewayNode } from '../../../engine/ports/node-registry.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { type ManagementRoute, route } from '../route.ts';
import { SHARED_READ, sharedRead } from '../shared-reads.ts';

export interface SystemFacts {
  /** The program's version. */
  readonly version: string;
  readonly runtime: string;
  readonly startedAtMs: number;
  /** This process's id in the list of nodes. */
  readonly nodeId: string;
  /** `null` if no Redis is configured. */
  readonly redis: () => 'reachable' | 'away' | null;
  readonly memoryBytes: () => number;
  readonly requestsInFlight: () => number;
  /** Covers about the last minute. */
  readonly eventLoopDelay: () => { readonly meanMs: number; readonly p99Ms: number; readonly maxMs: number };
  /** Returns why the gateway takes no requests, or `null`. */
  readonly notReady: () => string | null;
}

export interface SystemRoutesOptions {
  readonly store: Pick<Store, 'describe' | 'nodes' | 'directory' | 'storeHealth'>;
  readonly facts: SystemFacts;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const NODE = z.object({
  id: z.string(),
  host: z.string(),
  process: z.number(),
  version: z.string(),
  started_at: z.string(),
  last_seen_at: z.string(),
  is_current: z.boolean().meta({ description: 'Whether it uses the latest keys, channels and models.' }),
  answers_this: z.boolean(),
});

const SYSTEM = z
  .object({
    object: z.literal('system'),
    version: z.string(),
    runtime: z.string(),
    started_at: z.string(),
    memory_bytes: z.number().meta({ description: 'The memory of the process that responds.' }),
    requests_in_flight: z.number().meta({ description: 'Of this process.' }),
    event_loop_delay: z
      .object({ mean_ms: z.number(), p99_ms: z.number(), max_ms: z.number() })
      .meta({ description: 'How late this process ran its timers in the last full minute.' }),
    ready: z.boolean(),
    not_ready_reason: z.string().nullable(),
    database: z.object({
      kind: z.enum(['sqlite', 'postgresql']),
      version: z.string().nullable(),
      bytes: z.number().nullable(),
      migrations: z.array(z.string()),
      problem: z.string().nullable().meta({ description: 'Why writes fail at the moment.' }),
    }),
    redis: z.enum(['reachable', 'away']).nullable().meta({ description: '`null` if none is configured.' }),
    nodes: z.array(NODE),
  })
  .meta({ id: 'System' });

/** Returns `system`: version, nodes, database, Redis. */
export function systemRoutes({ store, facts, clock }: SystemRoutesOptions): readonly ManagementRoute[] {
  return [
    route({
      ...{ method: 'get', path: '/system', operationId: 'getSystem', tag: 'System' },
      summary: 'Read the state of the gateway',
      description: SHARED_READ,
      access: { who: 'operator', scope: 'system:read' },
      answer: { description: 'Version, nodes, database, Redis', schema: SYSTEM },
      handle: sharedRead(clock, () => systemView(store, facts)),
    }),
  ];
}

async function systemView(store: SystemRoutesOptions['store'], facts: SystemFacts) {
  const [database, nodes, state] = await Promise.all([store.describe(), store.nodes.living(), store.directory.state()]);
  const { kind, version, bytes, migrations } = database;
  const reason = facts.notReady();
  const { meanMs, p99Ms, maxMs } = facts.eventLoopDelay();
  const isCurrent = ({ accessVersion, servingVersion }: GatewayNode) =>
    accessVersion === state.accessVersion && servingVersion === state.servingVersion;
  return {
    object: 'system' as const,
    version: facts.version,
    runtime: facts.runtime,
    started_at: isoTime(facts.startedAtMs),
    memory_bytes: facts.memoryBytes(),
    requests_in_flight: facts.requestsInFlight(),
    event_loop_delay: { mean_ms: meanMs, p99_ms: p99Ms, max_ms: maxMs },
    ready: reason === null,
    not_ready_reason: reason,
    database: { kind, version, bytes, migrations, problem: store.storeHealth.problem },
    redis: facts.redis(),
    nodes: nodes.map((node) => ({
      ...{ id: node.id, host: node.hostName, process: node.processId, version: node.version },
      started_at: isoTime(node.startedAtMs),
      last_seen_at: isoTime(node.lastSeenAtMs),
      is_current: isCurrent(node),
      answers_this: node.id === facts.nodeId,
    })),
  };
}
