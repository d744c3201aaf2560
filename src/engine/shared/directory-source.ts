import type { ProviderManifest } from '../../providers/manifest.ts';
import type { DirectoryStore } from '../ports/directory-store.ts';
import { Directory } from './directory.ts';
import type { RoutingMemory } from './routing-memory.ts';

/** Keeps the current picture of the directory; `refresh` takes over what any process has changed since. */
export class DirectorySource {
  private directory: Directory;
  private version: number;

  private constructor(
    private readonly store: DirectoryStore,
    private readonly providers: ReadonlyMap<string, ProviderManifest>,
    private readonly memory: RoutingMemory,
    directory: Directory,
    version: number,
  ) {
    this.directory = directory;
    this.version = version;
  }

  static async open(
    store: DirectoryStore,
    providers: ReadonlyMap<string, ProviderManifest>,
    memory: RoutingMemory,
  ): Promise<DirectorySource> {
    const version = await store.version();
    const directory = new Directory(await store.read(), providers, memory);
    return new DirectorySource(store, providers, memory, directory, version);
  }

  current(): Directory {
    return this.directory;
  }

  /** Resolves to whether anything had changed. */
  async refresh(): Promise<boolean> {
    const version = await this.store.version();
    if (version === this.version) return false;
    this.directory = new Directory(await this.store.read(), this.providers, this.memory);
    this.version = version;
    return true;
  }
}
