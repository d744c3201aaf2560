import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../settings.ts';
import { checkDisk, checkModes, freeAt, judgeDisk } from './check-disk.ts';

const MIB = 1024 * 1024;
/** A reference to the environment in a configuration file. */
const VARIABLE = '$' + '{OPENAI_API_KEY}';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-disk-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const settings = (): Settings => ({
  host: '127.0.0.1',
  port: 0,
  dataDirectory: join(folder, 'data'),
  databasePath: join(folder, 'data', 'switchyard.sqlite'),
  configurationPath: join(folder, 'switchyard.yaml'),
  secret: null,
  databaseUrl: null,
  databaseConnections: undefined,
  databaseUpgrade: 'refuse',
  redisUrl: null,
});

test.each([
  [5_000 * MIB, 1e6, 'ok'],
  [500 * MIB, 1e6, 'warn'],
  [50 * MIB, 1e6, 'FAIL'],
  [5_000 * MIB, 3, 'FAIL'],
])('%d bytes and %d files free are %s', (bytes, files, level) => {
  expect(judgeDisk({ bytes, files }).level).toBe(level as 'ok');
});

test('a folder that does not exist yet has the space of its parent', async () => {
  expect((await freeAt(join(folder, 'a/b/c'))).bytes).toBeGreaterThan(0);
  expect((await checkDisk(settings())).message).toContain('free');
});

test('files that only their owner can change and read are fine', async () => {
  await mkdir(join(folder, 'data'), { mode: 0o700 });
  await writeFile(join(folder, 'switchyard.yaml'), 'channels: [{id: a, api_key: hidden}]\n', { mode: 0o600 });
  expect(await checkModes(settings())).toMatchObject([{ level: 'ok' }]);
});

test('a data folder and a configuration that others can change are warnings with the command', async () => {
  await mkdir(join(folder, 'data'));
  await chmod(join(folder, 'data'), 0o777);
  await writeFile(join(folder, 'switchyard.yaml'), 'channels: []\n');
  await chmod(join(folder, 'switchyard.yaml'), 0o666);
  const messages = (await checkModes(settings())).map(({ message }) => message);
  expect(messages).toEqual([
    `${join(folder, 'data')} can be changed by other users (mode 777): run "chmod 700 ${join(folder, 'data')}"`,
    expect.stringContaining('run "chmod go-w '),
  ]);
});

test('a database that others can read is a warning', async () => {
  await mkdir(join(folder, 'data'));
  await chmod(join(folder, 'data'), 0o755);
  await writeFile(join(folder, 'data/switchyard.sqlite'), '');
  await chmod(join(folder, 'data/switchyard.sqlite'), 0o644);
  expect(await checkModes(settings())).toMatchObject([
    { level: 'warn', message: expect.stringContaining('can be read') },
  ]);
});

test.each([
  ['channels: [{id: a, api_key: sk-literal}]', true],
  ['server:\n  metrics_token: "literal-literal-1"', true],
  [`channels: [{id: a, api_key: "${VARIABLE}"}]`, false],
  [`channels:\n  - api_key: ${VARIABLE}\n`, false],
  ['server:\n  port: 1\n', false],
])('a readable file with %p is reported: %p', async (text, isReported) => {
  await writeFile(join(folder, 'switchyard.yaml'), text);
  await chmod(join(folder, 'switchyard.yaml'), 0o644);
  const found = (await checkModes(settings())).filter(({ level }) => level === 'warn');
  expect(found.map(({ message }) => message.includes('contains secrets'))).toEqual(isReported ? [true] : []);
  expect(JSON.stringify(found)).not.toContain('literal');
});
