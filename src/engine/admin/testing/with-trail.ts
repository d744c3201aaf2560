import { openTestStore } from '../../../stores/sqlite/testing/test-store.ts';
import type { Store } from '../../ports/store.ts';
import { type AuditTrail, auditTrail, localOrigin } from '../audit/audit-trail.ts';
import { FakeClock } from './fake-clock.ts';

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
