import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SecretFileError, secretFileOf, withSecretFiles, workerEnvironment } from './secret-files.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-secrets-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const fileWith = async (contents: string | Uint8Array, name = 'secret') => {
  const path = join(folder, name);
  await writeFile(path, contents);
  return path;
};

const problemOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof SecretFileError) return error.message;
    throw error;
  }
  return 'no problem';
};

test.each([
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['s3cret\r\n', 's3cret'],
  ['s3cret\n\n', 's3cret\n'],
  [' two words ', ' two words '],
])('the contents %j are read as %j', async (contents, secret) => {
  const environment = withSecretFiles({ OPENAI_API_KEY_FILE: await fileWith(contents), OTHER: 'x' });
  expect([environment.OPENAI_API_KEY, environment.OTHER]).toEqual([secret, 'x']);
});

test('an empty variable counts as unset, in both forms', async () => {
  const path = await fileWith('s3cret');
  expect(withSecretFiles({ KEY: '', KEY_FILE: path }).KEY).toBe('s3cret');
  expect(withSecretFiles({ KEY: 'plain', KEY_FILE: '' }).KEY).toBe('plain');
});

test('both forms together are an error that names the variables only', async () => {
  const environment = withSecretFiles({
    DATABASE_URL: 'postgres://u:hidden@h',
    DATABASE_URL_FILE: await fileWith('s3cret'),
  });
  expect(problemOf(() => environment.DATABASE_URL)).toBe(
    'DATABASE_URL_FILE: DATABASE_URL is set as well. Remove one of the two',
  );
});

test('a file that cannot be used is an error with the variable and the path, without the contents', async () => {
  await mkdir(join(folder, 'directory'));
  const cases: [path: string, problem: string][] = [
    [join(folder, 'missing'), 'there is no such file'],
    [join(folder, 'directory'), 'is a directory'],
    [join(folder, 'directory/../secret/below'), 'cannot be read'],
    ['/dev/null', 'is not a regular file'],
    [await fileWith('', 'empty'), 'is empty'],
    [await fileWith('\n', 'newline'), 'is empty'],
    [await fileWith('s3cret'.repeat(20_000), 'large'), 'is larger than 64 KiB'],
    [await fileWith(Uint8Array.of(0x73, 0x33, 0xff), 'binary'), 'is not UTF-8 text'],
    [await fileWith('s3cret\0', 'zero'), 'is not UTF-8 text'],
  ];
  await fileWith('s3cret');
  for (const [path, problem] of cases) {
    const found = problemOf(() => withSecretFiles({ REDIS_URL_FILE: path }).REDIS_URL);
    expect(found).toStartWith(`REDIS_URL_FILE: ${path}: ${problem}`);
    expect(found).not.toContain('s3cret');
  }
});

test('a file whose variable is not used is not read, and variables without secrets have no file', async () => {
  const environment = withSecretFiles({
    SSL_CERT_FILE: '/missing',
    SWITCHYARD_CONFIG_FILE: '/missing',
    PORT_FILE: '/missing',
  });
  expect([environment.SWITCHYARD_CONFIG, environment.PORT, environment.SSL_CERT_FILE]).toEqual([
    undefined,
    undefined,
    '/missing',
  ]);
  expect(secretFileOf(environment, 'SSL_CERT')).toBe('/missing');
  expect({ ...environment }).toEqual({
    SSL_CERT_FILE: '/missing',
    SWITCHYARD_CONFIG_FILE: '/missing',
    PORT_FILE: '/missing',
  });
});

test('the master secret is read once, and the key of a provider whenever it is used', async () => {
  const environment = withSecretFiles({
    SWITCHYARD_SECRET_FILE: await fileWith('one'),
    KEY_FILE: await fileWith('one'),
  });
  expect([environment.SWITCHYARD_SECRET, environment.KEY]).toEqual(['one', 'one']);
  await fileWith('two');
  expect([environment.SWITCHYARD_SECRET, environment.KEY]).toEqual(['one', 'two']);
});

test('a worker gets what this process has read once, and the paths of the others', async () => {
  const path = await fileWith('one');
  const environment = { SWITCHYARD_SECRET_FILE: path, KEY_FILE: path, SSL_CERT: 'a', SSL_CERT_FILE: 'b' };
  const resolved = withSecretFiles(environment);
  expect(resolved.SWITCHYARD_SECRET).toBe('one');
  await fileWith('two');
  const ofWorker = workerEnvironment(environment, resolved);
  expect(ofWorker).toEqual({ SWITCHYARD_SECRET: 'one', KEY_FILE: path, SSL_CERT: 'a', SSL_CERT_FILE: 'b' });
  expect(withSecretFiles(ofWorker).KEY).toBe('two');
});
