import { createHash } from 'node:crypto';
import { extname, join, parse } from 'node:path';
import type { BunPlugin } from 'bun';
import type { Asset, Bundle } from '../../src/transports/shared/bundle.ts';
import { packed } from '../../src/transports/shared/packed.ts';
import { stylesheet } from './stylesheet.ts';

export interface BundleOptions {
  /** The folder of the dashboard's sources. */
  readonly folder: string;
  /** The Brotli level, from 0 to 11. */
  readonly brotliLevel: number;
}

const NAMES = '[name]-[hash].[ext]';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** A bundle, and the files that it was made of, relative to the working folder. Only the scripts' are listed. */
export interface BuiltDashboard extends Bundle {
  readonly inputs: readonly string[];
}

/** The used parts of the metadata of `Bun.build`. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<
    Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
  >;
}

/** Builds scripts, style and files. Rejects with the bundler's own error. */
export async function bundle({ folder, brotliLevel }: BundleOptions): Promise<BuiltDashboard> {
  const assets = new Map<string, Asset>();
  const add = (name: string, content: string | Uint8Array): string => {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) throw new Error(`${name}: the build does not support this file type`);
    assets.set(name, { contentType, content: packed(content, brotliLevel) });
    return name;
  };
  const addFile = async (path: string): Promise<string> => {
    const content = await Bun.file(path).bytes();
    return add(namedByContent(path, content), content);
  };
  const common = {
    root: folder,
    target: 'browser',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    env: 'disable',
    naming: { entry: NAMES, chunk: NAMES, asset: NAMES },
  } as const;
  const [theme, app, css, icon] = await Promise.all([
    Bun.build({ ...common, entrypoints: [join(folder, 'theme.ts')], format: 'iife' }),
    Bun.build({
      ...common,
      entrypoints: [join(folder, 'main.tsx')],
      splitting: true,
      metafile: true,
      plugins: [filesBesideScripts(addFile)],
    }),
    stylesheet(folder, addFile),
    addFile(join(folder, 'icon.svg')),
  ]);
  for (const output of [...theme.outputs, ...app.outputs])
    add(fileName(output.path), new Uint8Array(await output.arrayBuffer()));
  const script = entryOf(app);
  const metafile = app.metafile as unknown as Metafile;
  return {
    assets,
    inputs: Object.keys(metafile.inputs),
    first: {
      theme: entryOf(theme),
      style: add(namedByContent('style.css', css), css),
      script,
      imports: importedAtOnce(script, metafile),
      icon,
    },
  };
}

/** Resolves an imported image to its address relative to the script, which is correct under any proxy path. */
function filesBesideScripts(addFile: (path: string) => Promise<string>): BunPlugin {
  return {
    name: 'files beside scripts',
    setup: (build) =>
      void build.onLoad({ filter: /\.(?:svg|png|webp|woff2)$/ }, async ({ path }) => ({
        loader: 'js',
        contents: `export default new URL(${JSON.stringify(await addFile(path))}, import.meta.url).href;`,
      })),
  };
}

function namedByContent(path: string, content: string | Uint8Array): string {
  const { name, ext } = parse(path);
  return `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}${ext}`;
}

function fileName(path: string): string {
  return parse(path).base;
}

function entryOf({ outputs }: Bun.BuildOutput): string {
  const entry = outputs.find(({ kind }) => kind === 'entry-point');
  if (entry === undefined) throw new Error('the bundler produced no entry file');
  return fileName(entry.path);
}

/** Returns all static imports of the script, so that the browser can load them at once. */
function importedAtOnce(script: string, { outputs }: Metafile): string[] {
  const importsOf = new Map(
    Object.entries(outputs).map(([path, { imports }]) => [
      fileName(path),
      imports.filter(({ kind }) => kind === 'import-statement').map((one) => fileName(one.path)),
    ]),
  );
  const found = new Set<string>([script]);
  for (const name of found) for (const imported of importsOf.get(name) ?? []) found.add(imported);
  found.delete(script);
  return [...found];
}
