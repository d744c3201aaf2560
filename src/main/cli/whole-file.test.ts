import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WholeFile, writeWholeFile } from './whole-file.ts';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-files-'));
  path = join(folder, 'file');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const NEW = { replaces: false, isPrivate: true };

test('the file appears when it is finished, and a discarded one leaves nothing', async () => {
  const file = await WholeFile.create(path, NEW);
  await file.write('one ');
  await file.write('two');
  expect((await readdir(folder)).map((name) => name.replace(/\.[0-9a-f]{12}\./, '.X.'))).toEqual(['file.X.partial']);
  await file.finish();
  expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['file'], 'one two']);
  const other = await WholeFile.create(`${path}2`, NEW);
  await other.write('one');
  await other.discard();
  expect(await readdir(folder)).toEqual(['file']);
});

test('a file that another process creates meanwhile is kept', async () => {
  const file = await WholeFile.create(path, NEW);
  await file.write('mine');
  await writeFile(path, 'theirs');
  await expect(file.finish()).rejects.toThrow('exists already');
  expect([await readdir(folder), await readFile(path, 'utf8')]).toEqual([['file'], 'theirs']);
});

test('what is in the way is named, and nothing is left', async () => {
  await mkdir(join(folder, 'directory'));
  await symlink('nowhere', join(folder, 'link'));
  await expect(writeWholeFile(join(folder, 'directory'), 'x', NEW)).rejects.toThrow('is a directory');
  await expect(writeWholeFile(join(folder, 'link'), 'x', NEW)).rejects.toThrow('exists already');
  await expect(writeWholeFile(join(folder, 'no', 'file'), 'x', NEW)).rejects.toThrow('create its folder first');
  expect((await readdir(folder)).sort()).toEqual(['directory', 'link']);
});
