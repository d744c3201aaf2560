import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleChannel } from '../../engine/ports/testing/samples.ts';
import { bucketOf } from '../../stores/media/media-id.ts';
import { FakeS3, s3Place } from '../../stores/media/testing/fake-s3.ts';
import { lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts';
import { CommandFixture } from './testing/command-fixture.ts';

const SECRET = 'the secret of the folder 0123456789';
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

let fixture: CommandFixture;
let media: string;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  await mkdir(fixture.path('data'));
  await writeFile(fixture.path('data/master-secret'), `${SECRET}\n`, { mode: 0o600 });
  const store = await open(fixture.path('data'), SECRET);
  await store.directory.write('all', (writer) =>
    writer.putChannel(sampleChannel({ id: 'openai-main', owner: null, apiKey: 'sk-upstream' })),
  );
  await store.close();
  await fixture.run(['accounts', 'create', 'acme']);
  await fixture.run(['accounts', 'grant', 'acme', '10']);
  media = join(bucketOf(fixture.clock.nowMs() + 3_600_000), 'a'.repeat(12), `${'b'.repeat(26)}-5.png`);
  await writeMedia(fixture.path('data/media'), media);
});
afterEach(() => fixture.remove());

function open(data: string, secret: string) {
  return openSqliteStore({ path: join(data, 'switchyard.sqlite'), secret, clock: fixture.clock, logger });
}

async function writeMedia(folder: string, name: string, text = 'image'): Promise<void> {
  await mkdir(join(folder, name, '..'), { recursive: true });
  await writeFile(join(folder, name), text);
}

const backUp = (...options: string[]) => fixture.run(['backup', fixture.path('b.tar'), ...options]);
const restore = (data: string, options: readonly string[] = [], env: Record<string, string> = {}) =>
  fixture.run(['restore', '--data', fixture.path(data), ...options, fixture.path('b.tar')], env);

test('a backup can be restored with the secret of its gateway', async () => {
  const made = await backUp();
  expect([made.exitCode, made.stderr]).toEqual([0, '']);
  expect(made.stdout).toContain('master secret  not included: keep a copy of');
  expect((await stat(fixture.path('b.tar'))).mode & 0o777).toBe(0o600);
  expect((await readdir(fixture.folder)).sort()).toEqual(['b.tar', 'data']);
  expect((await readFile(fixture.path('b.tar'))).includes(SECRET)).toBe(false);
  const restored = await restore('new', [], { SWITCHYARD_SECRET: SECRET });
  expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
  expect(restored.stdout).toContain('ledger verified (accounts 1, entries 1, charges 0)');
  expect(restored.stdout).toContain('the master secret decrypts it');
  expect(await readFile(fixture.path(`new/media/${media}`), 'utf8')).toBe('image');
  const store = await open(fixture.path('new'), SECRET);
  expect((await store.directory.read('all')).channels).toMatchObject([{ apiKey: 'sk-upstream' }]);
  await store.close();
});

test('a restore without the secret says what to do, and one with another secret is refused', async () => {
  await backUp();
  const wrong = await restore('new', [], { SWITCHYARD_SECRET: 'another secret 0123456789' });
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('does not decrypt the backup')]);
  expect(await readdir(fixture.path('new'))).toEqual(['switchyard.lock']);
  const without = await restore('new');
  expect(without.exitCode).toBe(0);
  expect(without.stdout).toContain('the master secret is missing: before the start, set SWITCHYARD_SECRET');
});

test('the secret is in the backup on request', async () => {
  expect((await backUp('--with-secret')).stdout).toContain('whoever has the file can decrypt everything');
  const restored = await restore('new');
  expect(restored.stdout).toContain('the master secret decrypts it');
  expect((await readFile(fixture.path('new/master-secret'), 'utf8')).trim()).toBe(SECRET);
  expect((await stat(fixture.path('new/master-secret'))).mode & 0o777).toBe(0o600);
});

test('a secret that does not decrypt the database is not included', async () => {
  const env = { SWITCHYARD_SECRET: 'another secret 0123456789' };
  const { exitCode, stderr } = await fixture.run(['backup', '--with-secret', fixture.path('b.tar')], env);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('does not decrypt the database')]);
  expect(await readdir(fixture.folder)).toEqual(['data']);
});

test('an operator may put the secret into the folder first', async () => {
  await backUp();
  await mkdir(fixture.path('new'));
  await writeFile(fixture.path('new/master-secret'), `${SECRET}\n`);
  expect((await restore('new')).stdout).toContain('the master secret decrypts it');
});

test('a folder with content is left alone, or its content is moved aside with --force', async () => {
  await backUp();
  await fixture.run(['accounts', 'grant', 'acme', '5']);
  const refused = await restore('data');
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringContaining('is not empty (media, switchyard.sqlite'),
  ]);
  const forced = await restore('data', ['--force']);
  expect([forced.exitCode, forced.stderr]).toEqual([0, '']);
  expect((await fixture.run(['accounts', 'balance', 'acme'])).stdout).toContain('10');
  const [aside = ''] = (await readdir(fixture.path('data'))).filter((name) => name.startsWith('replaced-'));
  expect(await readdir(fixture.path(`data/${aside}`))).toContain('switchyard.sqlite');
  expect((await readFile(fixture.path('data/master-secret'), 'utf8')).trim()).toBe(SECRET);
});

test('nothing is restored while a gateway uses the folder', async () => {
  await backUp();
  await mkdir(fixture.path('new'));
  const unlock = await lockFolder(fixture.path('new/switchyard.sqlite'));
  const { exitCode, stderr } = await restore('new');
  unlock();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Another gateway is using this data folder')]);
});

test('a restore that was interrupted blocks the folder until the next one', async () => {
  await backUp();
  await mkdir(fixture.path('new/.restore/new'), { recursive: true });
  await writeFile(fixture.path('new/.restore/new/switchyard.sqlite'), 'part');
  await writeFile(fixture.path('new/.restore/journal.json'), '{"names":["media","switchyard.sqlite"],"aside":null}');
  await writeMedia(fixture.path('new/media'), media);
  await expect(open(fixture.path('new'), SECRET)).rejects.toThrow('was interrupted');
  expect((await restore('new')).exitCode).toBe(0);
  expect(
    (await fixture.run(['ledger', 'verify', '--data', fixture.path('new')], { SWITCHYARD_SECRET: SECRET })).exitCode,
  ).toBe(0);
});

test('--check verifies a backup and restores nothing', async () => {
  await backUp();
  const checked = await fixture.run(['restore', '--check', fixture.path('b.tar')]);
  expect([checked.exitCode, checked.stdout]).toEqual([0, expect.stringContaining('complete and unchanged')]);
  await writeFile(fixture.path('b.tar'), (await readFile(fixture.path('b.tar'))).subarray(0, 5_000));
  const damaged = await fixture.run(['restore', '--check', fixture.path('b.tar')]);
  expect([damaged.exitCode, damaged.stderr]).toEqual([1, expect.stringMatching(/incomplete|damaged/)]);
  const missing = await fixture.run(['restore', '--check', fixture.path('none.tar')]);
  expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('cannot be read (ENOENT)')]);
});

test('a backup of a newer schema is refused', async () => {
  const store = await open(fixture.path('data'), SECRET);
  await store.close();
  const { Database } = await import('bun:sqlite');
  const database = new Database(fixture.path('data/switchyard.sqlite'));
  database.run("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01')");
  database.close();
  await backUp();
  const { exitCode, stderr } = await restore('new');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('9999-later')]);
});

test('the configuration file is in the backup, with the names of the variables that it needs', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the file.
  const text = 'channels: [{id: a, provider: openai, api_key: "${KEY_OF_A}", models: [m]}]\n';
  await writeFile(fixture.path('switchyard.yaml'), text);
  const env = { SWITCHYARD_CONFIG: fixture.path('switchyard.yaml'), KEY_OF_A: 'sk-a' };
  const made = await fixture.run(['backup', fixture.path('b.tar')], env);
  expect(made.stdout).toContain('configuration  included; it needs the variables KEY_OF_A');
  expect((await restore('new')).stdout).toContain(`--config '${fixture.path('new/configuration.yaml')}'`);
  expect(await readFile(fixture.path('new/configuration.yaml'), 'utf8')).toBe(text);
});

test('media files can be left out, and expired or incomplete ones are', async () => {
  const over = join(bucketOf(fixture.clock.nowMs() - 7_200_000), 'a'.repeat(12), `${'c'.repeat(26)}-5.png`);
  const incomplete = join(media, '..', `${'d'.repeat(26)}-9.png`);
  await writeMedia(fixture.path('data/media'), over);
  await writeMedia(fixture.path('data/media'), incomplete);
  expect((await backUp()).stdout).toContain('media          1 files');
  expect((await backUp('--no-media')).stdout).not.toContain('media   ');
});

test('a media folder of the configuration is backed up and restored to its place', async () => {
  await writeFile(fixture.path('switchyard.yaml'), `media_store: {kind: folder, folder: ${fixture.path('shelf')}}\n`);
  const env = { SWITCHYARD_CONFIG: fixture.path('switchyard.yaml') };
  await writeMedia(fixture.path('shelf'), media, 'other');
  expect((await fixture.run(['backup', fixture.path('b.tar')], env)).exitCode).toBe(0);
  await rm(fixture.path('shelf'), { recursive: true });
  expect((await restore('new', [], env)).stdout).toContain(`media files restored to ${fixture.path('shelf')}`);
  expect(await readFile(fixture.path(`shelf/${media}`), 'utf8')).toBe('other');
});

test('files in a bucket are named as not included', async () => {
  const s3 = new FakeS3();
  const place = s3Place(s3);
  const text = `media_store: {kind: s3, s3: {endpoint: "${place.endpoint}", bucket: ${place.bucket}, access_key_id: a, secret_access_key: b}}\n`;
  await writeFile(fixture.path('switchyard.yaml'), text);
  const { exitCode, stdout } = await fixture.run(['backup', fixture.path('b.tar')], {
    SWITCHYARD_CONFIG: fixture.path('switchyard.yaml'),
  });
  await s3.close();
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`it is in the bucket ${place.bucket}`)]);
});

test('PostgreSQL is backed up by its own program, and only the media store here', async () => {
  const env = {
    DATABASE_URL: 'postgres://user:hidden@db.example:5433/gate?sslmode=require',
    SWITCHYARD_SECRET: SECRET,
  };
  const told = await fixture.run(['backup', fixture.path('b.tar')], env);
  expect([told.exitCode, told.stderr]).toEqual([1, expect.stringContaining('nothing was backed up')]);
  expect(told.stdout).toContain(
    "pg_dump --format=custom --no-owner --file=switchyard.dump 'postgres://user@db.example:5433/gate?sslmode=require'",
  );
  expect(told.stdout).not.toContain('hidden');
  const made = await fixture.run(['backup', '--media', fixture.path('b.tar')], env);
  expect([made.exitCode, made.stdout]).toEqual([0, expect.stringContaining('database       not included')]);
  const restored = await restore('new', [], env);
  expect([restored.exitCode, restored.stdout]).toEqual([0, expect.stringContaining('media files restored')]);
  expect(await readFile(fixture.path(`new/media/${media}`), 'utf8')).toBe('image');
});

test('a backup with a database is not restored over DATABASE_URL', async () => {
  await backUp();
  const { exitCode, stderr } = await restore('new', [], { DATABASE_URL: 'postgres://db.example/gate' });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('switchyard move --to')]);
});

test('a missing database, a missing folder and a folder as file are refused', async () => {
  const none = await fixture.run(['backup', '--data', fixture.path('none'), fixture.path('b.tar')]);
  expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('There is no database')]);
  const nowhere = await fixture.run(['backup', fixture.path('nowhere/b.tar')]);
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringContaining('the folder does not exist')]);
  const folder = await fixture.run(['backup', fixture.path('data')]);
  expect([folder.exitCode, folder.stderr]).toEqual([1, expect.stringContaining('is not a file')]);
  expect((await readdir(fixture.folder)).sort()).toEqual(['data']);
});

test('a later backup removes what a killed one has left behind, once it is old', async () => {
  const [old, young] = ['.b.tar.0.tar.partial', '.b.tar.1.tar.partial'].map((name) => fixture.path(name));
  for (const path of [old ?? '', young ?? '']) await writeFile(path, 'part');
  const [then, now] = [fixture.clock.nowMs() / 1_000 - 7_200, fixture.clock.nowMs() / 1_000];
  await utimes(old ?? '', then, then);
  await utimes(young ?? '', now, now);
  await backUp();
  expect((await readdir(fixture.folder)).sort()).toEqual(['.b.tar.1.tar.partial', 'b.tar', 'data']);
});

test('a move needs an SQLite database, its secret, and a target', async () => {
  const set = await fixture.run(['move', '--to', 'postgres://h/d'], {
    DATABASE_URL: 'postgres://h/d',
    SWITCHYARD_SECRET: SECRET,
  });
  expect([set.exitCode, set.stderr]).toEqual([1, expect.stringContaining('DATABASE_URL: is set')]);
  const wrong = await fixture.run(['move', '--to', 'postgres://h/d'], {
    SWITCHYARD_SECRET: 'another secret 0123456789',
  });
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('does not decrypt it')]);
  const url = await fixture.run(['move', '--to', 'mysql://h/d']);
  expect([url.exitCode, url.stderr]).toEqual([2, expect.stringContaining('--to: must be a URL such as postgres://')]);
  const unlock = await lockFolder(fixture.path('data/switchyard.sqlite'));
  const running = await fixture.run(['move', '--to', 'postgres://h/d']);
  unlock();
  expect([running.exitCode, running.stderr]).toEqual([1, expect.stringContaining('Stop it first')]);
});
