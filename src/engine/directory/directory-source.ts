import type { ProviderManifest } from '../../providers/manifest.ts';
import { Principals } from '../access/principals.ts';
import type { RoutingMemory } from '../health/routing-memory.ts';
import { type DirectoryState, type DirectoryStore, SERVING_ONLY } from '../ports/directory-store.ts';
import type { VersionsInForce } from '../ports/node-registry.ts';
import { Directory } from './directory.ts';

/** If more accounts than this have changed at once, all cached keys are forgotten. */
const MOST_CHANGED_ACCOUNTS = 1_000;

/** Holds the current directory and the owners of keys; `refresh` reads what any process has changed since. */
export class DirectorySource {
  readonly principals: Principals;
  private directory: Directory;

  private constructor(
    private readonly store: DirectoryStore,
    private readonly picture: (state: DirectoryState) => Promise<Directory>,
    private state: DirectoryState,
    directory: Directory,
  ) {
    this.directory = directory;
    this.principals = new Principals(store);
  }

  static async open(
    store: DirectoryStore,
    providers: ReadonlyMap<string, ProviderManifest>,
    memory: RoutingMemory,
  ): Promise<DirectorySource> {
    const picture = async ({ hasSeveralAccounts }: DirectoryState) =>
      new Directory(await store.read(SERVING_ONLY), providers, memory, hasSeveralAccounts);
    const state = await store.state();
    return new DirectorySource(store, picture, state, await picture(state));
  }

  current(): Directory {
    return this.directory;
  }

  /** What of the directory is in force here. */
  get versions(): VersionsInForce {
    return this.state;
  }

  /** Resolves to whether models or channels had changed. */
  async refresh(): Promise<boolean> {
    const { store, state: before } = this;
    const state = await store.state();
    if (state.accessVersion !== before.accessVersion) {
      this.principals.forget(await store.accountsChangedSince(before.accessVersion, MOST_CHANGED_ACCOUNTS));
      this.state = { ...before, accessVersion: state.accessVersion };
    }
    const { servingVersion, hasSeveralAccounts } = state;
    if (servingVersion === before.servingVersion && hasSeveralAccounts === before.hasSeveralAccounts) return false;
    this.directory = await this.picture(state);
    this.state = state;
    return true;
  }
}
