import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { DirectoryRows, DirectoryStore, DirectoryWriter } from '../../engine/ports/directory-store.ts';
import type { RequestLog, RequestRecord } from '../../engine/ports/request-log.ts';
import { channelWithoutOwner, credentialWithoutAccount, refusePromise } from '../shared/references.ts';
import type { Store } from '../shared/store.ts';
import { MemoryHealth } from './health.ts';
import { MemoryKeyUse } from './key-use.ts';
import { MemoryLedger } from './ledger.ts';
import { MemoryResponses } from './responses.ts';

const REQUEST_LOG_CAPACITY = 10_000;

const RESPONSE_CAPACITY_BYTES = 256 * 1024 * 1024;

export interface MemoryStoreOptions {
  /** Says when a stored response has expired; by default the system's clock. */
  readonly clock?: Pick<Clock, 'nowMs'>;
  /** How much the stored responses may hold before the oldest are dropped. Default 256 MiB. */
  readonly responseCapacityBytes?: number;
}

/** A store that forgets everything with the process: for tests and trials. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  const clock = options.clock ?? { nowMs: () => Date.now() };
  const health = new MemoryHealth((channelId) => directory.hasChannel(channelId));
  const directory = new MemoryDirectory((channelId) => health.forget(channelId));
  const requestLog = new MemoryRequestLog();
  const ledger = new MemoryLedger({ accounts: () => directory.accounts(), records: () => requestLog.records() });
  return {
    directory,
    requestLog,
    responses: new MemoryResponses(clock, options.responseCapacityBytes ?? RESPONSE_CAPACITY_BYTES),
    health,
    ledger,
    keyUse: new MemoryKeyUse(),
    close: async () => {},
  };
}

interface Tables {
  readonly accounts: Map<string, Account>;
  readonly credentials: Map<string, Credential>;
  readonly models: Map<string, Model>;
  readonly channels: Map<string, Channel>;
}

class MemoryDirectory implements DirectoryStore {
  #tables: Tables = { accounts: new Map(), credentials: new Map(), models: new Map(), channels: new Map() };
  #version = 0;
  readonly #onChannelDeleted: (channelId: string) => void;

  constructor(onChannelDeleted: (channelId: string) => void) {
    this.#onChannelDeleted = onChannelDeleted;
  }

  async read(): Promise<DirectoryRows> {
    return rowsOf(this.#tables);
  }

  async write<Result>(change: (writer: DirectoryWriter) => Result): Promise<Result> {
    const draft: Tables = {
      accounts: new Map(this.#tables.accounts),
      credentials: new Map(this.#tables.credentials),
      models: new Map(this.#tables.models),
      channels: new Map(this.#tables.channels),
    };
    let changed = false;
    const deletedChannels: string[] = [];
    const onChange = () => {
      changed = true;
    };
    const result = change(writerTo(draft, onChange, (channelId) => deletedChannels.push(channelId)));
    refusePromise(result);
    this.#tables = draft;
    if (changed) this.#version += 1;
    for (const channelId of deletedChannels) this.#onChannelDeleted(channelId);
    return result;
  }

  accounts(): readonly Account[] {
    return [...this.#tables.accounts.values()];
  }

  hasChannel(channelId: string): boolean {
    return this.#tables.channels.has(channelId);
  }

  async version(): Promise<number> {
    return this.#version;
  }
}

function rowsOf(tables: Tables): DirectoryRows {
  return {
    accounts: sorted(tables.accounts),
    credentials: sorted(tables.credentials),
    models: sorted(tables.models),
    channels: sorted(tables.channels),
  };
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Objects are copied on their way in, so that a caller who changes his own later does not change the store. */
function writerTo(
  tables: Tables,
  onChange: () => void,
  onChannelDeleted: (channelId: string) => void,
): DirectoryWriter {
  function put<Row>(rows: Map<string, Row>, key: string, row: Row): void {
    rows.set(key, structuredClone(row));
    onChange();
  }
  return {
    read: () => rowsOf(tables),
    putAccount: (account) => put(tables.accounts, account.id, account),
    putCredential(credential) {
      if (!tables.accounts.has(credential.accountId)) throw credentialWithoutAccount(credential);
      put(tables.credentials, [credential.accountId, credential.kind, credential.id].join('\0'), credential);
    },
    putModel: (model) => put(tables.models, model.id, model),
    deleteModel(id) {
      if (tables.models.delete(id)) onChange();
    },
    putChannel(channel) {
      if (channel.owner !== null && !tables.accounts.has(channel.owner)) throw channelWithoutOwner(channel);
      put(tables.channels, channel.id, channel);
    },
    deleteChannel(id) {
      if (!tables.channels.delete(id)) return;
      onChange();
      onChannelDeleted(id);
    },
  };
}

class MemoryRequestLog implements RequestLog {
  /** In the order of appending. */
  readonly #records: RequestRecord[] = [];

  append(record: RequestRecord): void {
    this.#records.push(record);
    if (this.#records.length > REQUEST_LOG_CAPACITY) this.#records.shift();
  }

  records(): readonly RequestRecord[] {
    return this.#records;
  }

  async flush(): Promise<void> {}

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    // Reversing first makes the stable sort put the one appended last first among those of one millisecond.
    return this.#records
      .toReversed()
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, Math.max(0, limit));
  }
}
