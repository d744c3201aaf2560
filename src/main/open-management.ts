import type { ServerHandler } from '../transports/inference/route.ts';
import type { ManagementRoute } from '../transports/management/route.ts';
import type { CreatedManagement, ManagementOptions } from './create-management.ts';
import { areDescriptorsFree } from './descriptor-watch.ts';

/** Loading opens a few files at once; the others are for the connections of clients that arrive meanwhile. */
const DESCRIPTORS_FOR_LOADING = 32;

/** The management API before and after it is loaded. */
export interface OpenedManagement {
  /** Resolves to the routes, for the OpenAPI document. */
  readonly routes: () => Promise<readonly ManagementRoute[]>;
  /** Handles every path for which `isManagement` is true. */
  readonly handle: ServerHandler;
  /** The live request streams: `look` is to be called once a second, `close` when the gateway stops. */
  readonly live: CreatedManagement['live'];
}

/**
 * Opens the management API. Its routes and schemas are a quarter of the program's modules and memory, and many workers never get a request
 * for it, so the first one loads them. While the process has hardly any free file descriptors, requests fail and nothing is loaded, because
 * the runtime never reads a module again that it could not read once.
 */
export function openManagement(options: ManagementOptions): OpenedManagement {
  let made: CreatedManagement | null = null;
  let making: Promise<CreatedManagement> | null = null;
  let isClosed = false;
  const make = async () => {
    if (!areDescriptorsFree(DESCRIPTORS_FOR_LOADING)) {
      throw new Error(
        'the management API is not loaded yet, and needs free file descriptors for it: raise "ulimit -n"',
      );
    }
    const { createManagement } = await import('./create-management.ts');
    made = createManagement(options);
    if (isClosed) made.live.close();
    return made;
  };
  const opened = () => {
    if (made !== null) return Promise.resolve(made);
    making ??= make().finally(() => {
      making = null;
    });
    return making;
  };
  return {
    routes: async () => (await opened()).routes,
    handle: (request, connections) =>
      made === null ? opened().then(({ handle }) => handle(request, connections)) : made.handle(request, connections),
    live: {
      look: async () => made?.live.look(),
      close: () => {
        isClosed = true;
        made?.live.close();
      },
    },
  };
}
