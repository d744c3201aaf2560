import { type AuditedStore, auditedStore } from '../engine/admin/audit/audit-trail.ts';
import type { Providers } from '../engine/admin/schema/providers.ts';
import type { AuditOrigin } from '../engine/ports/audit-log.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { PasswordHasher } from '../engine/ports/password-hasher.ts';
import type { Store } from '../engine/ports/store.ts';
import type { DemoTime } from './demo-time.ts';

/** How ids and password hashes are made; the command hands in what the gateway uses. */
export interface DemoSystem {
  readonly newId: (prefix: string) => string;
  readonly newRequestId: () => string;
  readonly passwords: PasswordHasher;
}

/** What all parts of the demo are made with. */
export interface Backstage {
  readonly system: DemoSystem;
  readonly store: Store;
  readonly providers: Providers;
  readonly logger: Logger;
  readonly time: DemoTime;
  readonly seed: string;
}

/** A moment of the demo's time, at which everything is done that is done with it. */
export function clockAt(atMs: number): Clock {
  return { nowMs: () => atMs, monotonicMs: () => atMs };
}

/** Who does something in the demo. */
export interface DemoActor {
  readonly userId: string;
  readonly email: string;
}

/** From an address that is nobody's (RFC 5737). */
export function originOf({ system }: Backstage, { userId, email }: DemoActor): AuditOrigin {
  const actor = { kind: 'person' as const, id: userId, name: email };
  return { actor, address: '192.0.2.24', requestId: system.newRequestId() };
}

export const GATEWAY: AuditOrigin = {
  actor: { kind: 'gateway', id: null, name: 'refused credentials' },
  address: null,
  requestId: null,
};

/** The store as somebody changes it at that moment. */
export function storeAt({ store }: Backstage, atMs: number, origin: AuditOrigin): AuditedStore {
  return auditedStore(store, { origin, clock: clockAt(atMs) });
}

/** What is done at a moment. */
export interface DemoStep {
  readonly atMs: number;
  run(atMs: number): Promise<unknown>;
}
