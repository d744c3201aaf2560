import { type BedOptions, type MoneyBed, openSite } from '../../conformance/money/bed.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

export interface ProcessBedOptions extends BedOptions {
  /** How many gateways are started; each has a data folder of its own, so that several need `DATABASE_URL`. */
  readonly nodes?: number;
  /** Further variables of one of them. */
  readonly envOf?: (node: number) => Readonly<Record<string, string>>;
  /** How many processes each of them has. */
  readonly workers?: number;
}

/** A `MoneyBed` whose gateways are processes. Its commands still run in the test's process: they only look at the books. */
export interface ProcessBed extends MoneyBed {
  readonly space: ProcessWorkspace;
  readonly nodes: ServingProcess[];
  /** Starts a gateway on the data folder of the node, instead of the one that has ended. */
  readonly start: (node?: number) => Promise<ServingProcess>;
  /** The gateway ends without a chance to do anything. */
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
    // Those that come later find the tables made.
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
