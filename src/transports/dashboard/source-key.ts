import { createHash } from 'node:crypto';
import { join } from 'node:path';

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
