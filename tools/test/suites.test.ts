import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { acceptanceFolders, suitesOf, testFilesOf } from './suites.ts';

const ROOT = join(import.meta.dir, '../..');

test('each test file of the project is in exactly one suite', () => {
  const inSuites = suitesOf(ROOT).flatMap(({ files }) => files);
  expect(inSuites.length).toBeGreaterThan(100);
  expect([...inSuites].sort()).toEqual([...testFilesOf(ROOT)]);
});

test('each acceptance folder is a suite with tests, and only these have requirements of the machine', () => {
  const suites = suitesOf(ROOT);
  const acceptance = suites.filter(({ level }) => level === 'acceptance');
  expect(acceptance.map(({ name }) => name).sort()).toEqual([...acceptanceFolders(ROOT)].sort());
  expect(suites.filter(({ level, needs }) => level !== 'acceptance' && needs.length > 0)).toEqual([]);
});

test('the tree decides the level', () => {
  const levels = new Map(suitesOf(ROOT).map(({ name, level }) => [name, level]));
  expect(levels.get('src/formats')).toBe('unit');
  expect(levels.get('tools')).toBe('unit');
  expect(levels.get('conformance')).toBe('conformance');
});
