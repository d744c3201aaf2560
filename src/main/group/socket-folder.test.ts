import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSocketFolder } from './socket-folder.ts';

/** Linux' highest process id, plus one. */
const NOBODY = 4_194_305;
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'switchyard-data-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

test('the folder is in the data folder, for its owner only', () => {
  const folder = makeSocketFolder(data);
  expect(folder).toBe(join(data, `group-${process.pid}`));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('the folder of a killed process is removed; that of a running one, or anything else, stays', () => {
  for (const name of [`group-${NOBODY}`, `group-${process.pid}`, 'group-1', 'group-notes', 'groups']) {
    mkdirSync(join(data, name));
  }
  makeSocketFolder(data);
  const stays = (name: string) => existsSync(join(data, name));
  expect([`group-${NOBODY}`, 'group-1', 'group-notes', 'groups'].map(stays)).toEqual([false, true, true, true]);
});

test('a data folder with too long a path for a socket has it elsewhere', () => {
  const folder = makeSocketFolder(join(data, 'd'.repeat(100)));
  expect(folder).toStartWith(join(tmpdir(), 'switchyard-group-'));
  rmSync(folder, { recursive: true });
});
