import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { DirectoryRows, DirectoryStore, DirectoryWriter } from '../ports/directory-store.ts';

/** For tests: a directory in memory that counts its writes. A change that throws leaves no trace. */
export class FakeDirectoryStore implements DirectoryStore {
  writes = 0;
  private rows: DirectoryRows = { accounts: [], credentials: [], models: [], channels: [] };

  async read(): Promise<DirectoryRows> {
    return structuredClone(this.rows);
  }

  async write<Result>(change: (writer: DirectoryWriter) => Result): Promise<Result> {
    const writer = new FakeWriter(structuredClone(this.rows));
    const result = change(writer);
    this.rows = writer.read();
    this.writes += writer.verbs;
    return result;
  }

  async version(): Promise<number> {
    return this.writes;
  }
}

class FakeWriter implements DirectoryWriter {
  verbs = 0;
  private readonly accounts: Map<string, Account>;
  private readonly credentials: Map<string, Credential>;
  private readonly models: Map<string, Model>;
  private readonly channels: Map<string, Channel>;

  constructor(rows: DirectoryRows) {
    this.accounts = new Map(rows.accounts.map((row) => [row.id, row]));
    this.credentials = new Map(rows.credentials.map((row) => [credentialKey(row), row]));
    this.models = new Map(rows.models.map((row) => [row.id, row]));
    this.channels = new Map(rows.channels.map((row) => [row.id, row]));
  }

  read(): DirectoryRows {
    return {
      accounts: [...this.accounts.values()],
      credentials: [...this.credentials.values()],
      models: [...this.models.values()],
      channels: [...this.channels.values()],
    };
  }

  putAccount(account: Account): void {
    this.verbs++;
    this.accounts.set(account.id, account);
  }

  putCredential(credential: Credential): void {
    this.verbs++;
    for (const [key, row] of this.credentials) {
      if (key !== credentialKey(credential) && row.secretHash === credential.secretHash) {
        throw new Error('UNIQUE constraint failed: credentials.secret_hash');
      }
    }
    this.credentials.set(credentialKey(credential), credential);
  }

  putModel(model: Model): void {
    this.verbs++;
    this.models.set(model.id, model);
  }

  deleteModel(id: string): void {
    this.verbs++;
    this.models.delete(id);
  }

  putChannel(channel: Channel): void {
    this.verbs++;
    this.channels.set(channel.id, channel);
  }

  deleteChannel(id: string): void {
    this.verbs++;
    this.channels.delete(id);
  }
}

function credentialKey(credential: Credential): string {
  return JSON.stringify([credential.accountId, credential.kind, credential.id]);
}
