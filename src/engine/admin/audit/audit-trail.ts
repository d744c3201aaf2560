import type { AuditLog, AuditOrigin, AuditWords } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { auditedDirectory } from './audited-directory.ts';

/** A change of what is not in the directory. */
export interface NotedChange {
  /** Kind of object and what was done, such as `task.fail`. */
  readonly action: string;
  readonly accountId: string | null;
  readonly objectId: string;
  /** Without secrets; absent where there is nothing to tell. */
  readonly before?: AuditWords;
  readonly after?: AuditWords;
}

/** Where the changes of one caller are entered that are not of the directory, which tells its own. */
export interface AuditTrail {
  /** Durable when it resolves. Called once the change was made. */
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

/** A store through which one caller changes things: each change is entered into the audit log as the caller's. */
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
