import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { HealthStore } from '../../engine/ports/health-store.ts';
import type { HeldCharges } from '../../engine/ports/held-charges.ts';
import type { KeyUseStore } from '../../engine/ports/key-use-store.ts';
import type { Ledger } from '../../engine/ports/ledger.ts';
import type { ObjectOriginStore } from '../../engine/ports/object-origins.ts';
import type { OutcomeSource, SnapshotStore } from '../../engine/ports/outcomes.ts';
import type { RequestLog } from '../../engine/ports/request-log.ts';
import type { ResponseStore } from '../../engine/ports/response-store.ts';
import type { StoreHealth } from '../../engine/ports/store-health.ts';

/** What every kind of store gives. */
export interface Store {
  readonly directory: DirectoryStore;
  readonly requestLog: RequestLog;
  readonly responses: ResponseStore;
  readonly health: HealthStore;
  readonly ledger: Ledger;
  readonly heldCharges: HeldCharges;
  readonly keyUse: KeyUseStore;
  readonly objects: ObjectOriginStore;
  /** What the request log says of the models. */
  readonly outcomes: OutcomeSource;
  readonly snapshots: SnapshotStore;
  readonly storeHealth: StoreHealth;
  /** Writes what is queued and lets go of everything. Harmless when called again. */
  close(): Promise<void>;
}
