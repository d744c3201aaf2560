import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { suitesOf } from './suites.ts';

const ROOT = join(import.meta.dir, '../..');

test('each test file of the project is in exactly one suite', () => {
  const suites = suitesOf(ROOT);
  const files = [...new Bun.Glob('{src,dashboard,tools,bench,conformance}/**/*.test.{ts,tsx}').scanSync({ cwd: ROOT })];
  expect(files.length).toBeGreaterThan(100);
  const suitesOfFile = (file: string) =>
    suites.filter(({ paths }) => paths.some((path) => file === path || file.startsWith(`${path}/`)));
  expect(files.filter((file) => suitesOfFile(file).length !== 1)).toEqual([]);
});

test('no suite is without tests', () => {
  for (const { name, paths } of suitesOf(ROOT)) {
    const files = paths.flatMap((path) =>
      path.endsWith('.test.ts') ? [path] : [...new Bun.Glob(`${path}/**/*.test.{ts,tsx}`).scanSync({ cwd: ROOT })],
    );
    expect([name, files.length > 0]).toEqual([name, true]);
  }
});
