import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { masterSecretPath } from '../../src/main/cli/master-secret.ts';
import { UploadFolder } from '../../src/transports/inference/form/upload-folder.ts';

/* Several processes share one data folder. */

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchyard-data-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const moduleOf = (...names: string[]) => JSON.stringify(path.join(PROJECT, 'src', ...names));

test('many simultaneous first starts agree on one master secret', async () => {
  const data = path.join(folder, 'data');
  const script = path.join(folder, 'start.ts');
  await writeFile(
    script,
    `import { masterSecret } from ${moduleOf('main', 'cli', 'master-secret.ts')};
     const starts = Array.from({ length: 20 }, () => masterSecret({ secret: null, databaseUrl: null, dataDirectory: process.argv[2], databasePath: process.argv[2] + '/switchyard.sqlite' }));
     console.log([...new Set(await Promise.all(starts))].join());`,
  );
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = Bun.spawn([process.execPath, script, data], { stdout: 'pipe' });
      return (await child.stdout.text()).trim();
    }),
  );
  expect(new Set(outputs)).toEqual(new Set([(await readFile(masterSecretPath(data), 'utf8')).trim()]));
  expect(await readdir(data)).toEqual(['master-secret']);
});

test('uploads of a killed process are removed by another one', async () => {
  const uploads = path.join(folder, 'tmp', 'uploads');
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const own = new UploadFolder({ path: uploads, totalBytes: 1e9, logger: silent });
  const script = `
    import { UploadFolder } from ${moduleOf('transports', 'inference', 'form', 'upload-folder.ts')};
    const folder = new UploadFolder({ path: process.argv[1], totalBytes: 1e9, logger: console });
    const created = await folder.create(1);
    await created.handle.write('x');
    console.log('written');
    // The handle stays open while something references it.
    setInterval(() => created, 1_000);`;
  const child = Bun.spawn([process.execPath, '-e', script, uploads], { stdout: 'pipe', stderr: 'inherit' });
  try {
    await child.stdout.getReader().read();
    await own.sweep();
    expect(await readdir(uploads)).toHaveLength(1);
    child.kill('SIGKILL');
    await child.exited;
    await own.sweep();
    expect(await readdir(uploads)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
    own.close();
  }
});
