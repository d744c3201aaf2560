import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PINNED_RUNTIME } from '../../src/main/build.ts';
import { run } from './run.ts';

/** The platforms of the single executable, with the npm package that has Bun for each. The last two are for musl (Alpine Linux). */
export const PLATFORMS = {
  'linux-x64': { target: 'bun-linux-x64', package: '@oven/bun-linux-x64' },
  'linux-arm64': { target: 'bun-linux-arm64', package: '@oven/bun-linux-aarch64' },
  'linux-x64-musl': { target: 'bun-linux-x64-musl', package: '@oven/bun-linux-x64-musl' },
  'linux-arm64-musl': { target: 'bun-linux-arm64-musl', package: '@oven/bun-linux-aarch64-musl' },
} as const;

export type Platform = keyof typeof PLATFORMS;

export function isPlatform(name: string): name is Platform {
  return Object.hasOwn(PLATFORMS, name);
}

/** Where downloaded runtimes are kept. */
const CACHE = 'node_modules/.cache/switchyard-runtimes';

/**
 * Resolves to the path of the pinned Bun for a platform, which is downloaded from npm's registry at the first use. Its bytes are those that
 * package-lock.json promises; rejects otherwise.
 */
export async function runtimeFor(root: string, platform: Platform): Promise<string> {
  const { package: name } = PLATFORMS[platform];
  const cache = join(root, CACHE);
  const path = join(cache, `bun-${PINNED_RUNTIME}-${platform}`);
  if (await Bun.file(path).exists()) return path;
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'download-'));
  try {
    await run(['npm', 'pack', '--silent', '--pack-destination', folder, `${name}@${PINNED_RUNTIME}`], { cwd: folder });
    const [archive = ''] = await Array.fromAsync(new Bun.Glob('*.tgz').scan({ cwd: folder }));
    await verify(root, name, join(folder, archive));
    await run(['tar', '-xzf', archive, 'package/bin/bun'], { cwd: folder });
    await rename(join(folder, 'package/bin/bun'), path);
    return path;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function verify(root: string, name: string, archive: string): Promise<void> {
  const lock = await Bun.file(join(root, 'package-lock.json')).json();
  const expected: unknown = lock.packages[`node_modules/${name}`]?.integrity;
  const actual = `sha512-${createHash('sha512')
    .update(await Bun.file(archive).bytes())
    .digest('base64')}`;
  if (actual !== expected) throw new Error(`${name}: the registry's archive is not the one in package-lock.json`);
}
