import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import path from 'node:path';

/* Pages must not refer to files that have been moved or deleted. */

const root = path.join(import.meta.dir, '..', '..');
const PAGES = ['*.md', 'docs/**/*.md', 'src/**/README.md', '.ci/run', '.github/**/*'].flatMap((pattern) => [
  ...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true }),
]);
/** A complete path of a file or folder in the project, without placeholders such as `src/formats/<name>` and `*.ts`. */
const NAMED = /(?<![\w./-])(?:src|dashboard|tools|bench|conformance|acceptance|docs)\/[\w./-]*[\w/](?![\w./-]*[<{*…])/g;

test.each(PAGES)('the files that %s names exist', async (page) => {
  const text = await Bun.file(path.join(root, page)).text();
  const names = new Set(text.match(NAMED));
  expect([...names].filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

const ROOMS = [...new Bun.Glob('src/*/').scanSync({ cwd: root, onlyFiles: false })];

/** A README names the files of its room by their paths within the room. */
test.each(ROOMS)('%s has a README of three to ten lines', async (room) => {
  const text = await Bun.file(path.join(root, room, 'README.md')).text();
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(3);
  expect(lines.length).toBeLessThanOrEqual(10);
  const names = [...text.matchAll(/`([\w-]+\/[\w./-]+|[\w-]+\.ts)`/g)].map(([, name = '']) => name);
  const isThere = (name: string) => [room, '.'].some((folder) => existsSync(path.join(root, folder, name)));
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
