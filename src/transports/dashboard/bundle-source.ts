import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from '../../domain/text/describe-error.ts';
import type { Logger } from '../../engine/ports/logger.ts';
import { type Bundle, decodeBundle } from '../shared/bundle.ts';

/** The inputs of a bundle: the dashboard's sources, the code that packs them, and the installed packages. */
const SOURCES = 'dashboard/**/*';
const PACKING = ['src/transports/shared/bundle.ts', 'src/transports/shared/packed.ts'];
const LEFT_OUT = /\.test\.tsx?$|\.md$/;
/** The first file lists what npm has actually installed. */
const LOCKS = ['node_modules/.package-lock.json', 'package-lock.json'];

/** Returns a key for the sources: equal keys mean equal bundles. Takes about 10 ms. */
export async function sourceKey(root: string): Promise<string> {
  const hash = createHash('sha256').update(`${Bun.version}\n`);
  const paths = (await Array.fromAsync(new Bun.Glob(SOURCES).scan({ cwd: root }))).filter((one) => !LEFT_OUT.test(one));
  const contents = await Promise.all(
    [...paths.sort(), ...PACKING, ...LOCKS].map(async (path) => ({ path, content: await contentOf(join(root, path)) })),
  );
  for (const { path, content } of contents) hash.update(`${path}\n${content.byteLength}\n`).update(content);
  return hash.digest('hex').slice(0, 32);
}

async function contentOf(path: string): Promise<Uint8Array> {
  return (await Bun.file(path).exists()) ? Bun.file(path).bytes() : new Uint8Array();
}

const ENDING = '.bundle';
/** Keeps recent files: another gateway may be writing them, or may just have written them. */
const KEPT_MS = 3_600_000;

/** Stores bundles on disk, so that a later start need not build. */
export class BundleFolder {
  constructor(private readonly path: string) {}

  /** Resolves to `null` if there is no bundle or it is incomplete. */
  async read(key: string): Promise<Bundle | null> {
    const file = Bun.file(join(this.path, key + ENDING));
    return (await file.exists()) ? decodeBundle(await file.bytes()) : null;
  }

  /** Rejects if the folder cannot be written to. */
  async write(key: string, content: Uint8Array): Promise<void> {
    await mkdir(this.path, { recursive: true });
    const unfinished = join(this.path, `${crypto.randomUUID()}.tmp`);
    await Bun.write(unfinished, content);
    await rename(unfinished, join(this.path, key + ENDING));
    await this.sweep(key);
  }

  /** Removes bundles of other sources, and files left behind by a crash. */
  private async sweep(key: string): Promise<void> {
    for (const name of await readdir(this.path)) {
      const path = join(this.path, name);
      const isOld = name !== key + ENDING && Date.now() - (await stat(path)).mtimeMs > KEPT_MS;
      if (isOld) await rm(path, { force: true });
    }
  }
}

/** A build takes about a second; allows for a heavily loaded machine. */
const PATIENCE_MS = 60_000;
const LONGEST_PROBLEM = 4_000;

interface BuildResult {
  readonly bundle: Bundle;
  /** The bundle, encoded as a file. */
  readonly file: Uint8Array;
}

/** Builds in a child process with an empty environment, so that no environment variable can end up in a script. */
export async function runBuild(root: string, isFast: boolean): Promise<BuildResult | { readonly problem: string }> {
  const script = ['dashboard/build/main.ts', ...(isFast ? ['--fast'] : [])];
  // The working folder is part of the generated chunk names.
  const child = Bun.spawn([process.execPath, '--no-env-file', ...script], {
    cwd: root,
    env: {},
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  const [file, told] = await Promise.all([child.stdout.bytes(), child.stderr.text()]);
  const exitCode = await child.exited;
  if (exitCode !== 0) return { problem: told.trim().slice(0, LONGEST_PROBLEM) || endOf(child) };
  const bundle = decodeBundle(file);
  return bundle === null ? { problem: 'the build did not write a complete bundle' } : { bundle, file };
}

function endOf({ exitCode, signalCode }: Bun.Subprocess): string {
  return `the build ended with ${signalCode ?? `exit code ${exitCode}`}`;
}

/** The reason why there are no pages, in lines for dashboard developers. */
export interface BundleProblem {
  readonly problem: string;
}

/** The source of the dashboard's files. */
export interface BundleSource {
  /** Resolves to the bundle for a new page, or to the problem if none is available now. */
  current(): Promise<Bundle | BundleProblem>;
}

/** Serves the bundle that is part of the npm package and of the single executable. */
export class ShippedBundle implements BundleSource {
  private bundle: Promise<Bundle | BundleProblem> | null = null;

  constructor(private readonly file: Blob) {}

  current(): Promise<Bundle | BundleProblem> {
    this.bundle ??= this.read();
    return this.bundle;
  }

  private async read(): Promise<Bundle | BundleProblem> {
    const bytes = await this.file.bytes().catch(() => new Uint8Array());
    const problem = "this installation's dashboard file is missing or damaged; install Switchyard again";
    return decodeBundle(bytes) ?? { problem };
  }
}

interface BuiltBundleOptions {
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
      logger.error({ reason: made.problem }, 'the dashboard could not be built');
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
