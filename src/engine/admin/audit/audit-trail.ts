import type { AuditLog, AuditOrigin, AuditWords } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { auditedDirectory } from './audited-directory.ts';

/** A change of an object outside of the directory. */
export interface NotedChange {
  /** The kind of object and the action, such as `task.fail`. */
  readonly action: string;
  readonly accountId: string | null;
  readonly objectId: string;
  /** Without secrets; absent if there is nothing to record. */
  readonly before?: AuditWords;
  readonly after?: AuditWords;
}

/** Records one caller's changes outside of the directory, which records its own. */
export interface AuditTrail {
  /** Records a change that has been made. Durable when it resolves. */
  note(change: NotedChange): Promise<void>;
}

export interface TrailOptions {
  readonly origin: AuditOrigin;
  readonly clock: Pick<Clock, 'nowMs'>;
}

export function auditTrail(audit: Pick<AuditLog, 'append'>, { origin, clock }: TrailOptions): AuditTrail {
  return {
    note: ({ before = null, after = null, ...change }) =>
      audit.append([{ ...origin, atMs: clock.nowMs(), ...change, before, after }]),
  };
}

/** A store for one caller, which enters each change into the audit log under the caller's name. */
export interface AuditedStore extends Store {
  readonly trail: AuditTrail;
}

export function auditedStore(store: Store, options: TrailOptions): AuditedStore {
  return {
    ...store,
    directory: auditedDirectory(store.directory, options),
    trail: auditTrail(store.audit, options),
  };
}
