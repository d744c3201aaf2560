import { type AuditTrail, auditTrail, localOrigin } from '../../../engine/admin/audit/audit-trail.ts';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { openTestStore } from './test-store.ts';

/** A store whose plain directory adds nothing to the audit log. */
export interface TestStore extends Store {
  readonly trail: AuditTrail;
}

export function withTrail(store: Store): TestStore {
  const origin = localOrigin({ kind: 'command_line', name: 'test' });
  return { ...store, trail: auditTrail(store.audit, { origin, clock: new FakeClock() }) };
}

/** Opens an empty store with a clock of its own; `closeTestStores` closes it. */
export async function openTrailedStore(): Promise<TestStore> {
  return withTrail(await openTestStore({ clock: new FakeClock() }));
}
