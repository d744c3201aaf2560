import { whenInForce } from '../../engine/admin/nodes/when-in-force.ts';
import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { Store } from '../../engine/ports/store.ts';
import { type CommandSetup, withStore } from './context.ts';

/**
 * Does the same as `withDirectory` for a change that removes something: resolves when all running gateways have applied it, or prints which
 * have not.
 */
export async function withDirectoryInForce<Result>(
  setup: CommandSetup,
  change: (directory: DirectoryStore) => Promise<Result>,
): Promise<Result> {
  return withStore(setup, async (store) => {
    const result = await change(store.directory);
    for (const notice of await unconfirmed(store)) setup.dependencies.stderr.write(`notice: ${notice}\n`);
    return result;
  });
}

async function unconfirmed(store: Store): Promise<readonly string[]> {
  const clock = { monotonicMs: () => performance.now() };
  try {
    const found = await whenInForce({ ...store, clock, sleep: Bun.sleep });
    return found.unconfirmed.map(
      ({ hostName, processId }) =>
        `the gateway on ${hostName} (process ${processId}) did not confirm the change in time; if it runs, it applies the change once it reads the database, or within 30 seconds refuses all keys that it cannot look up`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [`the change was made, but whether all gateways have applied it is unknown: ${reason}`];
  }
}
