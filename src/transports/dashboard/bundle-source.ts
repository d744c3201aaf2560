import { join } from 'node:path';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { type Bundle, decodeBundle } from '../shared/bundle.ts';
import { runBuild } from './build-process.ts';
import { BundleFolder } from './bundle-folder.ts';
import { sourceKey } from './source-key.ts';

/** The reason why there are no pages, in lines for dashboard developers. */
export interface BundleProblem {
  readonly problem: string;
}

/** The source of the dashboard's files. */
export interface BundleSource {
  /** Resolves to the bundle for a new page, or to the problem if none is available now. */
  current(): Promise<Bundle | BundleProblem>;
}

/** Serves the bundle that is embedded in the single executable. */
export class EmbeddedBundle implements BundleSource {
  private bundle: Promise<Bundle | BundleProblem> | null = null;

  constructor(private readonly file: Blob) {}

  current(): Promise<Bundle | BundleProblem> {
    this.bundle ??= this.file
      .bytes()
      .then((bytes) => decodeBundle(bytes) ?? { problem: 'the bundle of the executable is damaged' });
    return this.bundle;
  }
}

export interface BuiltBundleOptions {
  /** The project's folder. */
  readonly root: string;
  /** The folder in which bundles are kept for the next start. */
  readonly folder: string;
  /** Checks for changed sources on every page request, and keeps nothing on disk. */
  readonly watch: boolean;
  readonly logger: Logger;
  /** A monotonic clock. */
  readonly nowMs: () => number;
}

/** Where `npm install` puts a bundle, relative to the project's folder, so that the first page need not wait for a build. */
export const INSTALLED_BUNDLES = 'node_modules/.cache/switchyard-dashboard';

/** The pause after a failed build, since each build takes a second of CPU time. */
const PAUSE_MS = 5_000;

type Outcome = { readonly key: string; readonly atMs: number } & (
  | { readonly bundle: Bundle }
  | { readonly problem: string }
);

/** Builds in a child process when the first page is requested. Concurrent requests share one build. */
export class BuiltBundle implements BundleSource {
  private last: Outcome | null = null;
  private making: Promise<Outcome> | null = null;
  private readonly installed: BundleFolder;
  private readonly folder: BundleFolder;

  constructor(private readonly options: BuiltBundleOptions) {
    this.installed = new BundleFolder(join(options.root, INSTALLED_BUNDLES));
    this.folder = new BundleFolder(options.folder);
  }

  async current(): Promise<Bundle | BundleProblem> {
    this.making ??= this.look().finally(() => {
      this.making = null;
    });
    const outcome = await this.making;
    return 'bundle' in outcome ? outcome.bundle : outcome;
  }

  private async look(): Promise<Outcome> {
    const { root, watch, logger, nowMs } = this.options;
    const { last } = this;
    if (last !== null && !watch && ('bundle' in last || nowMs() - last.atMs < PAUSE_MS)) return last;
    try {
      const key = await sourceKey(root);
      if (last?.key === key && watch) return last;
      const made = (await this.kept(key)) ?? (await this.build(key));
      this.last = { key, atMs: nowMs(), ...made };
    } catch (error) {
      logger.error(describeError(error), 'the dashboard could not be built');
      this.last = { key: '', atMs: nowMs(), problem: describeError(error).error };
    }
    return this.last;
  }

  private async kept(key: string): Promise<{ bundle: Bundle } | null> {
    if (this.options.watch) return null;
    const bundle = (await this.installed.read(key)) ?? (await this.folder.read(key));
    return bundle === null ? null : { bundle };
  }

  private async build(key: string): Promise<{ bundle: Bundle } | BundleProblem> {
    const { root, watch, logger, nowMs } = this.options;
    const startedMs = nowMs();
    const made = await runBuild(root, watch);
    if ('problem' in made) {
      logger.error({ problem: made.problem }, 'the dashboard could not be built');
      return made;
    }
    logger.info({ durationMs: Math.round(nowMs() - startedMs) }, 'dashboard built');
    if (!watch) {
      await this.folder.write(key, made.file).catch((error: unknown) => {
        logger.warn(describeError(error), 'the dashboard could not be stored on disk; the next start builds it again');
      });
    }
    return { bundle: made.bundle };
  }
}
