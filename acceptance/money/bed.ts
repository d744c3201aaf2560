import { type BedOptions, type MoneyBed, openSite } from '../../conformance/money/bed.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

export interface ProcessBedOptions extends BedOptions {
  /** The number of gateways. Each has its own data folder, so several need `DATABASE_URL`. */
  readonly nodes?: number;
  /** Additional environment variables per gateway. */
  readonly envOf?: (node: number) => Readonly<Record<string, string>>;
  /** The number of workers per gateway. */
  readonly workers?: number;
}

/** A `MoneyBed` whose gateways are processes. Commands run in the test's process, since they only read the database. */
export interface ProcessBed extends MoneyBed {
  readonly space: ProcessWorkspace;
  readonly nodes: ServingProcess[];
  /** Starts a gateway on the node's data folder, in place of the one that ended. */
  readonly start: (node?: number) => Promise<ServingProcess>;
  /** Kills the gateway with SIGKILL. */
  readonly kill: (node?: number) => Promise<void>;
}

export async function startProcessBed(options: ProcessBedOptions): Promise<ProcessBed> {
  const SWITCHYARD_WORKERS = String(options.workers ?? 1);
  const site = await openSite(await ProcessWorkspace.create(), {
    ...options,
    env: { SWITCHYARD_WORKERS, ...options.env },
  });
  const { space, env, stop } = site;
  const nodes: ServingProcess[] = [];
  const start = async (node = 0) => {
    const data: Record<string, string> = node === 0 ? {} : { SWITCHYARD_DATA: space.path(`data-${node}`) };
    const serving = await space.serve({ env: { ...env, ...data, ...options.envOf?.(node) } });
    nodes[node] = serving;
    return serving;
  };
  const at = (node: number) => {
    const serving = nodes[node];
    if (serving === undefined) throw new Error(`there is no node ${node}`);
    return serving;
  };
  try {
    await start(0);
    // The first gateway has created the tables by now.
    await Promise.all(Array.from({ length: (options.nodes ?? 1) - 1 }, (_, index) => start(index + 1)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ ...site, nodes, start },
    port: (node = 0) => at(node).port,
    kill: async (node = 0) => {
      process.kill(-at(node).pid, 'SIGKILL');
      await at(node).exited;
    },
    run: (...args) => space.runHere(args, { env }),
  };
}
