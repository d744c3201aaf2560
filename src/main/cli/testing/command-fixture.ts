import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import { testProviders } from '../../../engine/admin/testing/test-providers.ts';
import type { CacheStore } from '../../../engine/ports/cache-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { MemoryCache } from '../../../stores/in-process/cache.ts';
import { openDiskCache } from '../../../stores/sqlite/cache.ts';
import { copyEmptyDatabase } from '../../../stores/sqlite/testing/empty-database.ts';
import { openThreadlessStore } from '../../../stores/sqlite/testing/writer-link.ts';
import { HttpUpstream } from '../../../upstream/http-upstream.ts';
import { forgetSecret, rotateSecret } from '../../change-secret.ts';
import { moveStore } from '../../move-store.ts';
import { openMediaStore } from '../../open-stores.ts';
import { withSecretFiles } from '../../secret-files.ts';
import { planUpgrade, upgradeDatabase } from '../../upgrade-database.ts';
import { runCommandLine } from '../command-line.ts';
import type { CommandLineDependencies, OpenCacheOptions, ServeCommand } from '../context.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line on a real store in its own folder; `serve` is only recorded. */
export class CommandFixture {
  readonly clock = new FakeClock();
  readonly served: ServeCommand[] = [];
  providers: ReadonlyMap<string, ProviderManifest> = testProviders;

  private constructor(readonly folder: string) {}

  static async create(): Promise<CommandFixture> {
    return new CommandFixture(await mkdtemp(join(tmpdir(), 'switchyard-cli-')));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Opens the store of the commands, for a test to inspect or prepare. */
  async openStore(secret: string, path = this.path('data/switchyard.sqlite')): Promise<Store> {
    if (!existsSync(path)) await copyEmptyDatabase(path);
    return openThreadlessStore({ path, secret, clock: this.clock, logger: SILENT });
  }

  /** Opens the cache as other processes see it. */
  async openCache({ settings, dataDirectory, secret }: OpenCacheOptions): Promise<CacheStore> {
    const { clock } = this;
    if (settings.diskBytes === 0) return new MemoryCache({ settings, clock });
    const path = join(dataDirectory, 'cache.sqlite');
    return openDiskCache({ settings, path, masterSecret: secret, isOwner: false, clock, logger: SILENT });
  }

  async run(args: readonly string[], environment: Record<string, string> = {}): Promise<CommandResult> {
    let stdout = '';
    let stderr = '';
    const outputs = {
      stdout: {
        write: (text: string) => {
          stdout += text;
        },
      },
      stderr: {
        write: (text: string) => {
          stderr += text;
        },
      },
    };
    const exitCode = await runCommandLine(args, { ...this.dependencies(environment), ...outputs });
    return { exitCode, stdout, stderr };
  }

  /** Resolves to the output of a command that has to succeed. */
  async outputOf(args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(args);
    if (exitCode !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Returns the dependencies of a command, whose output is dropped. */
  dependencies(environment: Record<string, string> = {}): CommandLineDependencies {
    return {
      serve: async (command) => {
        this.served.push(command);
        await command.store.close();
        return 0;
      },
      serveGroup: async () => 0,
      openStore: ({ databasePath, secret }) => this.openStore(secret, databasePath),
      openMedia: (options) => openMediaStore({ ...options, clock: this.clock, logger: SILENT }),
      openCache: (options) => this.openCache(options),
      changeSecret: {
        rotate: (settings, from, to) => rotateSecret({ ...settings, clock: this.clock, logger: SILENT }, from, to),
        forget: (settings, to) => forgetSecret({ ...settings, clock: this.clock, logger: SILENT }, to),
      },
      upgrade: {
        plan: (settings) => planUpgrade({ ...settings, logger: SILENT }),
        run: (settings) => upgradeDatabase({ ...settings, logger: SILENT }),
      },
      moveStore: (options) => moveStore(options, SILENT),
      upstream: () => new HttpUpstream({ proxies: null }),
      providers: async () => this.providers,
      ending: () => ({ signal: new AbortController().signal, exitCode: 130 }),
      isTerminal: false,
      environment: withSecretFiles({ SWITCHYARD_DATA: this.path('data'), ...environment }),
      clock: this.clock,
      stdout: { write: () => {} },
      stderr: { write: () => {} },
    };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
