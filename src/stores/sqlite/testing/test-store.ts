import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { copyEmptyDatabase } from './empty-database.ts';
import { openThreadlessStore } from './writer-link.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const SYSTEM_CLOCK: Clock = { nowMs: Date.now, monotonicMs: () => performance.now() };

const opened = new Set<Store>();

/**
 * Opens an empty SQLite store in a folder of its own, without a writer thread. `afterEach(closeTestStores)` removes it after the test.
 */
export async function openTestStore({ clock = SYSTEM_CLOCK }: { readonly clock?: Clock } = {}): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-store-'));
  const path = join(folder, 'store.sqlite');
  await copyEmptyDatabase(path);
  const inner = await openThreadlessStore({ path, secret: 'the secret of a test', clock, logger });
  const close = async () => {
    if (!opened.delete(store)) return;
    await inner.close();
    await rm(folder, { recursive: true, force: true });
  };
  const store = { ...inner, tasks: replaceable(inner.tasks), holds: replaceable(inner.holds), close };
  opened.add(store);
  return store;
}

/** Returns a part of a store whose methods a test can replace by assignment. */
function replaceable<Part extends object>(part: Part): Part {
  const replaced = new Map<string | symbol, unknown>();
  return new Proxy(part, {
    get: (_, name) => replaced.get(name) ?? Reflect.get(part, name),
    set(_, name, method) {
      replaced.set(name, method);
      return true;
    },
  });
}

/** Closes all stores that `openTestStore` has opened, and removes their folders. */
export async function closeTestStores(): Promise<void> {
  for (const store of opened) await store.close();
}
