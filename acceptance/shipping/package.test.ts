import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { builtPackage } from '../shared/builds.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { type Installation, testInstallation } from './contract.ts';

setDefaultTimeout(600_000);

const MEGABYTE = 1_000_000;
/** Half of what a clone with its packages takes. */
const MOST_INSTALLED_BYTES = 386 * MEGABYTE;

describe('the npm package, installed from its tarball into an empty folder', () => {
  let space: ProcessWorkspace;
  let tarball: string;
  let installed: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    space = await ProcessWorkspace.create();
    tarball = await builtPackage();
    installed = space.path('installed');
    const [home, cache] = [space.path('home'), space.path('cache')];
    for (const folder of [installed, home, cache]) await mkdir(folder);
    // Downloads of `npm ci` are used again. The rest of npm's cache and of its settings is not used.
    await symlink(join(await npmSetting('cache'), '_cacache'), join(cache, '_cacache'));
    const registry = await npmSetting('registry');
    env = {
      HOME: home,
      npm_config_cache: cache,
      npm_config_prefer_offline: 'true',
      npm_config_registry: registry,
      npm_config_update_notifier: 'false',
    };
    const options = { program: ['npm'], cwd: installed, env };
    const { exitCode, stderr } = await space.run(['install', '--no-audit', '--no-fund', tarball], options);
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  afterAll(() => space.remove());

  const installation = (): Installation => ({
    space,
    options: { program: [join(installed, 'node_modules/.bin/switchyard')], cwd: space.folder, env },
  });

  testInstallation(installation);

  test('brings one package, the runtime, and takes at most half of the space of a clone', async () => {
    const modules = join(installed, 'node_modules');
    const names = (await readdir(modules)).filter((name) => !name.startsWith('.'));
    expect([names.sort(), (await readdir(join(modules, '@oven'))).length]).toEqual([['@oven', 'switchyard'], 1]);
    expect(await bytesIn(installed)).toBeLessThan(MOST_INSTALLED_BYTES);
  });

  test('contains nothing but what running needs', async () => {
    const shipped = await readdir(join(installed, 'node_modules/switchyard'));
    expect(shipped.sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD_PARTY_NOTICES.txt', 'bin', 'package.json', 'server'].sort(),
    );
    expect(basename(tarball)).toBe(`switchyard-${packageJson.version}.tgz`);
  });

  test('is run by npx', async () => {
    const args = ['--yes', '--package', tarball, 'switchyard', '--version'];
    const { exitCode, stdout } = await space.run(args, { program: ['npx'], cwd: space.folder, env });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(packageJson.version)]);
  });
});

async function npmSetting(name: string): Promise<string> {
  const asked = Bun.spawn(['npm', 'config', 'get', name], { stdin: 'ignore', stdout: 'pipe' });
  return (await asked.stdout.text()).trim();
}

async function bytesIn(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
