import type { Channel } from '../../domain/catalog/channel.ts';
import { Principals } from '../access/principals.ts';
import {
  type DirectoryState,
  type DirectoryStore,
  SERVING_ONLY,
  type ServingChanges,
  type ServingRows,
} from '../ports/directory-store.ts';
import type { VersionsInForce } from '../ports/node-registry.ts';
import type { Directory } from './directory.ts';
import { type BuilderPorts, DirectoryBuilder, type ServingUpdate } from './directory-builder.ts';

/** If more accounts than this have changed at once, all cached keys are forgotten and all channels are read. */
const MOST_CHANGED_ACCOUNTS = 1_000;

interface DirectorySourcePorts extends BuilderPorts {
  readonly store: DirectoryStore;
}

/** Holds the current directory and the owners of keys; `refresh` reads what any process has changed since. */
export class DirectorySource {
  readonly principals: Principals;
  /** The owners of unchanged channels that must be remade anyway; `null` for the PLATFORM channels. */
  private readonly outdated = new Set<string | null>();

  private constructor(
    private readonly store: DirectoryStore,
    private readonly builder: DirectoryBuilder,
    private state: DirectoryState,
    private directory: Directory,
  ) {
    this.principals = new Principals(store);
  }

  static async open({ store, ...ports }: DirectorySourcePorts): Promise<DirectorySource> {
    const builder = new DirectoryBuilder(ports);
    const state = await store.state();
    const directory = await builder.next(wholeUpdate(await store.read(SERVING_ONLY)), state);
    return new DirectorySource(store, builder, state, directory);
  }

  current(): Directory {
    return this.directory;
  }

  /** The versions of the directory that are in force in this process. */
  get versions(): VersionsInForce {
    return this.state;
  }

  /** Makes the next refresh remake the targets of this owner's channels, because the rules of one of them have changed. */
  outdate(owner: string | null): void {
    this.outdated.add(owner);
  }

  /** Resolves to whether models or channels have changed. Calls must not overlap; use `DirectoryRefresh`. */
  async refresh(): Promise<boolean> {
    const { store, state: before } = this;
    const state = await store.state();
    if (state.accessVersion !== before.accessVersion) {
      this.principals.forget(await store.accountsChangedSince(before.accessVersion, MOST_CHANGED_ACCOUNTS));
      this.state = { ...before, accessVersion: state.accessVersion };
    }
    const { servingVersion, hasSeveralAccounts } = state;
    const isSharedOtherwise = hasSeveralAccounts !== before.hasSeveralAccounts;
    const outdated = [...this.outdated];
    if (servingVersion === before.servingVersion && !isSharedOtherwise && outdated.length === 0) return false;
    const changes = await store.servingChangedSince(before.servingVersion, MOST_CHANGED_ACCOUNTS);
    const update = await this.read(changes && withOutdated(changes, outdated, isSharedOtherwise));
    for (const owner of outdated) this.outdated.delete(owner);
    this.directory = await this.builder.next(update, state);
    this.state = state;
    return true;
  }

  private async read(changes: ServingChanges | null): Promise<ServingUpdate> {
    if (changes === null) return wholeUpdate(await this.store.read(SERVING_ONLY));
    const { shared, accounts } = changes;
    const own = new Map<string, Channel[]>(accounts.map((account) => [account, []]));
    const scope = shared ? { channelsOf: [null, ...accounts] } : { serving: false as const, channelsOf: accounts };
    const rows = await this.store.read(scope);
    for (const channel of rows.channels) if (channel.owner !== null) own.get(channel.owner)?.push(channel);
    return { own, isWhole: false, ...(shared ? { shared: platformRows(rows) } : {}) };
  }
}

function withOutdated(
  { shared, accounts }: ServingChanges,
  outdated: readonly (string | null)[],
  isSharedOtherwise: boolean,
): ServingChanges {
  const owners = outdated.filter((owner) => owner !== null);
  return {
    shared: shared || isSharedOtherwise || outdated.includes(null),
    accounts: [...new Set([...accounts, ...owners])],
  };
}

function wholeUpdate(rows: ServingRows): ServingUpdate {
  const own = new Map<string, Channel[]>();
  for (const channel of rows.channels) {
    if (channel.owner === null) continue;
    const known = own.get(channel.owner);
    if (known) known.push(channel);
    else own.set(channel.owner, [channel]);
  }
  return { shared: platformRows(rows), own, isWhole: true };
}

function platformRows({ channels, ...rows }: ServingRows): ServingRows {
  return { ...rows, channels: channels.filter(({ owner }) => owner === null) };
}

/** Runs one refresh at a time. A caller during a refresh waits for one that begins after it. */
export class DirectoryRefresh {
  private running: Promise<boolean> | null = null;
  private following: Promise<boolean> | null = null;

  constructor(private readonly source: Pick<DirectorySource, 'refresh'>) {}

  /** Resolves to whether models or channels have changed. Rejects if the store is unavailable. */
  run(): Promise<boolean> {
    const { running } = this;
    if (running === null) return this.start();
    this.following ??= running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.following;
  }

  private start(): Promise<boolean> {
    this.following = null;
    const running = this.source.refresh().finally(() => {
      if (this.running === running) this.running = null;
    });
    this.running = running;
    return running;
  }
}
