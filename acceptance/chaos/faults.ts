import type { Fault, Plan } from './plan.ts';
import type { ChaosSite } from './site.ts';

/** Records that a fault stopped a gateway or disturbed Redis, so that the verdict can allow for it. Times are monotonic milliseconds. */
export interface Incident {
  /** `redis`: Redis lost its data or was unreachable. */
  readonly kind: 'killed' | 'stopped' | 'redis';
  readonly atMs: number;
  /** The process ID of the gateway that ended; 0 for Redis. */
  readonly pid: number;
}

export interface FaultLog {
  readonly incidents: readonly Incident[];
  /** The number of faults of each kind. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Injects the faults of a plan and undoes each. Resolves when everything runs again. */
export async function runFaults(site: ChaosSite, plan: Plan, say: (line: string) => void): Promise<FaultLog> {
  const incidents: Incident[] = [];
  const counts = new Map<string, number>();
  const row = async (faults: readonly Fault[]) => {
    for (const fault of faults) {
      await Bun.sleep(fault.afterMs);
      say(`${fault.kind}${ofNode(fault)}, ${fault.lastsMs} ms`);
      counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
      await happen(site, fault, (incident) => incidents.push(incident));
    }
  };
  await Promise.all([row(plan.hard), row(plan.soft)]);
  return { incidents, counts };
}

function ofNode({ kind, node }: Fault): string {
  return ['kill', 'restart', 'freeze', 'node-cut-off'].includes(kind) ? ` of gateway ${node}` : '';
}

async function happen(
  { bed, redis, databases, providers }: ChaosSite,
  { kind, node, lastsMs }: Fault,
  note: (incident: Incident) => void,
): Promise<void> {
  const serving = bed.nodes[node]!;
  const lasts = () => Bun.sleep(lastsMs);
  switch (kind) {
    case 'kill':
      note({ kind: 'killed', pid: serving.pid, atMs: performance.now() });
      await bed.kill(node);
      await lasts();
      await bed.start(node);
      return;
    case 'restart':
      note({ kind: 'stopped', pid: serving.pid, atMs: performance.now() });
      await serving.stop();
      await lasts();
      await bed.start(node);
      return;
    case 'freeze':
      process.kill(-serving.pid, 'SIGSTOP');
      await lasts();
      process.kill(-serving.pid, 'SIGCONT');
      return;
    case 'database-pause':
      for (const proxy of databases) proxy.hold();
      await lasts();
      for (const proxy of databases) proxy.release();
      return;
    case 'database-cut':
      for (const proxy of databases) proxy.cut();
      return;
    case 'node-cut-off':
      databases[node]!.hold();
      await lasts();
      databases[node]!.release();
      return;
    case 'redis-flush':
      note({ kind: 'redis', pid: 0, atMs: performance.now() });
      await redis.run('flushall');
      return;
    case 'redis-restart':
      note({ kind: 'redis', pid: 0, atMs: performance.now() });
      await redis.kill();
      await lasts();
      await redis.restart();
      return;
    case 'redis-pause':
      note({ kind: 'redis', pid: 0, atMs: performance.now() });
      redis.pause();
      await lasts();
      redis.resume();
      return;
    case 'upstream-hang':
      providers.close();
      await lasts();
      providers.release();
      return;
  }
}
