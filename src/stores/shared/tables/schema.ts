import type { AccountRow } from './accounts.ts';
import type { ChannelRow } from './channels.ts';
import type { CredentialRow } from './credentials.ts';
import type { ModelRow } from './models.ts';
import type { SyncedModelRow } from './synced-models.ts';

/** The tables that are read and written through Kysely; the request log has its own prepared statements. */
export interface Schema {
  readonly accounts: AccountRow;
  readonly credentials: CredentialRow;
  readonly models: ModelRow;
  readonly synced_models: SyncedModelRow;
  readonly channels: ChannelRow;
  /** One row; triggers count one of them up at every change of the tables above, `access_version` for accounts and credentials. */
  readonly directory_version: { readonly version: number; readonly access_version: number };
}
