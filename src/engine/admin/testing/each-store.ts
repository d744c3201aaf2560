import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMemoryStore } from '../../../stores/memory/memory-store.ts';
import { copyEmptyDatabase } from '../../../stores/sqlite/testing/empty-database.ts';
import { openThreadlessStore } from '../../../stores/sqlite/testing/writer-link.ts';
import type { Store } from '../../ports/store.ts';
import { localOrigin } from '../audit/audit-origin.ts';
import { type AuditTrail, auditTrail } from '../audit/audit-trail.ts';
import { FakeClock } from './fake-clock.ts';

/** A store whose plain directory adds nothing to the audit log. */
export interface TestStore extends Store {
  readonly trail: AuditTrail;
}

interface OpenedStore {
  readonly store: TestStore;
  close(): Promise<void>;
}

const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * The stores on which the verbs must behave the same: one whose transactions are drafts, as PostgreSQL's are, and one whose transactions
 * are the database's own.
 */
export const EACH_STORE: [name: string, open: () => Promise<OpenedStore>][] = [
  [
    'in memory',
    async () => {
      const store = withTrail(openMemoryStore());
      return { store, close: () => store.close() };
    },
  ],
  [
    'in SQLite',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'switchyard-admin-'));
      const path = join(folder, 'store.sqlite');
      await copyEmptyDatabase(path);
      const options = { path, secret: 'of this test', clock: new FakeClock(), logger: SILENT };
      const store = withTrail(await openThreadlessStore(options));
      return {
        store,
        async close() {
          await store.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  ],
];

export function withTrail(store: Store): TestStore {
  const origin = localOrigin({ kind: 'command_line', name: 'test' });
  return { ...store, trail: auditTrail(store.audit, { origin, clock: new FakeClock() }) };
}
