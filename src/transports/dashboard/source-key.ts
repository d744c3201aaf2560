import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** What a bundle is made of: the dashboard's sources, how they are packed, and the packages as they are installed. */
const SOURCES = 'dashboard/**/*';
const PACKING = ['src/transports/shared/bundle.ts', 'src/transports/shared/packed.ts'];
const LEFT_OUT = /\.test\.tsx?$|\.md$/;
/** The first is what npm has really installed. */
const LOCKS = ['node_modules/.package-lock.json', 'package-lock.json'];

/** Two bundles of the same key are the same. It takes some 10 ms. */
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
