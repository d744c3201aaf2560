import type { DirectoryStore } from '../../engine/ports/directory-store.ts';
import type { RequestLog } from '../../engine/ports/request-log.ts';

/** What every kind of store gives. */
export interface Store {
  readonly directory: DirectoryStore;
  readonly requestLog: RequestLog;
  /** Writes what is queued and lets go of everything. Harmless when called again. */
  close(): Promise<void>;
}
