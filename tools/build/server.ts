import { createHash } from 'node:crypto';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { BunPlugin } from 'bun';
import { bundle } from '../../dashboard/build/bundle.ts';
import type { Build } from '../../src/main/build.ts';
import { encodeBundle } from '../../src/transports/shared/bundle.ts';

/*
 * The parts that the npm package and the single executable are made of. Both have all scripts in one folder: src/domain/worker-script.ts
 * finds them there.
 */

/** Levels of Brotli. The highest takes half of the time of a build, and tests need none of its bytes. */
const BROTLI_LEVELS = { usual: 11, fast: 4 } as const;

export type Speed = keyof typeof BROTLI_LEVELS;

/** Its name is known to src/main/create-open-routes.ts. */
const DASHBOARD = 'dashboard.bundle';
const ENTRY = 'src/main/switchyard.ts';
const WORKERS = new Bun.Glob('src/**/*.worker.ts');
/** The files that sources import `with { type: 'file' }`. */
const DATA_FILES = /(?:\.wasm|\.tiktoken|group1-shard\dof\d|[\\/]dist[\\/](?:model|vocab)\.json)$/;

/** Files that were made, and the sources and packages that are in them, relative to the root. */
export interface Made {
  readonly inputs: readonly string[];
}

/** Returns the options that all builds of the server share. The entry may be another one, for tests. */
export function serverOptions(root: string, build: Build, entry = ENTRY) {
  return {
    root: join(root, 'src'),
    entrypoints: [entry, ...[...WORKERS.scanSync({ cwd: root })].sort()].map((path) => join(root, path)),
    target: 'bun',
    format: 'esm',
    minify: true,
    sourcemap: 'none',
    // A process parses only the chunks that it imports.
    splitting: true,
    env: 'disable',
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name].[ext]' },
    define: { SWITCHYARD_BUILD: JSON.stringify(build) },
  } as const;
}

/** Bundles the server and its workers into scripts in the folder, with the data files beside them. */
export async function bundleServer(root: string, folder: string, build: Build): Promise<Made> {
  await mkdir(folder, { recursive: true });
  const { metafile } = await Bun.build({
    ...serverOptions(root, build),
    outdir: folder,
    metafile: true,
    plugins: [dataFilesIn(folder)],
  });
  return { inputs: Object.keys(metafile?.inputs ?? {}) };
}

/**
 * Copies data files into the folder of the scripts, and resolves their imports to absolute paths when the server runs. The bundler itself
 * would leave paths that are relative to the working folder.
 */
function dataFilesIn(folder: string): BunPlugin {
  return {
    name: 'data files beside scripts',
    setup: (build) =>
      void build.onLoad({ filter: DATA_FILES }, async ({ path }) => {
        const hash = createHash('sha256').update(await Bun.file(path).bytes());
        const { name, ext } = parse(path);
        const copy = `${name}-${hash.digest('hex').slice(0, 8)}${ext}`;
        await copyFile(path, join(folder, copy));
        const contents = `import { join } from 'node:path'; export default join(import.meta.dir, ${JSON.stringify(copy)});`;
        return { loader: 'js', contents };
      }),
  };
}

/** Builds the dashboard into a file in the folder. */
export async function buildDashboard(
  root: string,
  folder: string,
  speed: Speed = 'usual',
): Promise<Made & { readonly path: string }> {
  const built = await bundle({ folder: join(root, 'dashboard'), brotliLevel: BROTLI_LEVELS[speed] });
  await mkdir(folder, { recursive: true });
  const path = join(folder, DASHBOARD);
  await Bun.write(path, encodeBundle(built));
  // Tailwind is no script, so the bundler does not list it; its base styles are in the stylesheet.
  return { path, inputs: [...built.inputs, 'node_modules/tailwindcss/package.json'] };
}
