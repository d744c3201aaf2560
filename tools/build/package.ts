import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { type Build, PINNED_RUNTIME } from '../../src/main/build.ts';
import { noticesFor } from './licenses.ts';
import { run } from './run.ts';
import { buildDashboard, bundleServer, type Speed } from './server.ts';

/**
 * The packages with Bun for each platform; npm installs the one that fits. The package `bun` would add an install script, which many
 * installations do not allow.
 */
const RUNTIMES = [
  '@oven/bun-darwin-aarch64',
  '@oven/bun-darwin-x64',
  '@oven/bun-linux-aarch64',
  '@oven/bun-linux-aarch64-musl',
  '@oven/bun-linux-x64',
  '@oven/bun-linux-x64-musl',
];

/** Files of the repository that the package contains unchanged. */
const COPIED = ['bin', 'LICENSE', 'CHANGELOG.md'];
export const NOTICES = 'THIRD_PARTY_NOTICES.txt';

/**
 * Returns the package.json of the published package. Everything but Bun is bundled, so there is nothing for npm to resolve: `overrides`,
 * which npm applies at the root of an installation only, are not needed.
 */
export function publishedManifest() {
  const { name, version, description, license, type, bin, engines } = packageJson;
  return {
    ...{ name, version, description, license, type, bin, engines },
    keywords: ['ai', 'llm', 'gateway', 'proxy', 'openai', 'anthropic', 'gemini'],
    files: ['bin', 'server', 'CHANGELOG.md', NOTICES],
    os: ['linux', 'darwin'],
    cpu: ['x64', 'arm64'],
    optionalDependencies: Object.fromEntries(RUNTIMES.map((one) => [one, PINNED_RUNTIME])),
  };
}

interface PackageOptions {
  readonly root: string;
  /** The folder for the package's files, which is emptied, and for the tarball. */
  readonly folder: string;
  readonly build: Build;
  readonly speed?: Speed;
}

/** Builds the npm package, and resolves to the path of its tarball. */
export async function buildPackage({ root, folder, build, speed }: PackageOptions): Promise<string> {
  const content = join(folder, 'package');
  await rm(content, { recursive: true, force: true });
  await mkdir(content, { recursive: true });
  for (const name of COPIED) await cp(join(root, name), join(content, name), { recursive: true });
  await cp(join(root, 'tools/build/package-readme.md'), join(content, 'README.md'));
  const server = join(content, 'server');
  const made = [await bundleServer(root, server, build), await buildDashboard(root, server, speed)];
  const inputs = made.flatMap((one) => one.inputs);
  await Bun.write(join(content, NOTICES), await noticesFor(root, inputs));
  await Bun.write(join(content, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(await run(['npm', 'pack', ...options], { cwd: content }));
  return join(folder, filename);
}
