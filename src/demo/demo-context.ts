import { type AuditedStore, auditedStore } from '../engine/admin/audit/audit-trail.ts';
import type { AuditOrigin } from '../engine/ports/audit-log.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { PasswordHasher } from '../engine/ports/people-store.ts';
import type { Store } from '../engine/ports/store.ts';
import type { Providers } from '../providers/manifest.ts';
import type { DemoTime } from './demo-time.ts';

/** Generators of ids and password hashes; the command passes the gateway's own. */
export interface DemoSystem {
  readonly newId: (prefix: string) => string;
  readonly newRequestId: () => string;
  readonly passwords: PasswordHasher;
}

/** The dependencies that all parts of the demo share. */
export interface DemoContext {
  readonly system: DemoSystem;
  readonly store: Store;
  readonly providers: Providers;
  readonly logger: Logger;
  readonly time: DemoTime;
  readonly seed: string;
}

/** Returns a clock that stands at a moment of the demo's time. */
export function clockAt(atMs: number): Clock {
  return { nowMs: () => atMs, monotonicMs: () => atMs };
}

/** A person who acts in the demo. */
export interface DemoActor {
  readonly userId: string;
  readonly email: string;
}

/** Returns the origin of a person's action, with a documentation address (RFC 5737). */
export function originOf({ system }: DemoContext, { userId, email }: DemoActor): AuditOrigin {
  const actor = { kind: 'person' as const, id: userId, name: email };
  return { actor, address: '192.0.2.24', requestId: system.newRequestId() };
}

export const GATEWAY: AuditOrigin = {
  actor: { kind: 'gateway', id: null, name: 'refused credentials' },
  address: null,
  requestId: null,
};

/** Returns a store that records changes by this origin at that moment. */
export function storeAt({ store }: DemoContext, atMs: number, origin: AuditOrigin): AuditedStore {
  return auditedStore(store, { origin, clock: clockAt(atMs) });
}

/** An action at a moment of the demo's time. */
export interface DemoStep {
  readonly atMs: number;
  run(atMs: number): Promise<unknown>;
}
