import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import path from 'node:path';

/* A page that sends its reader to a file that has been moved or deleted is wrong. */

const root = path.join(import.meta.dir, '..', '..');
const PAGES = ['README.md', 'CONTRIBUTING.md', '.ci/run', ...new Bun.Glob('docs/**/*.md').scanSync({ cwd: root })];
/** A file or folder of the project, in whole: without gaps such as `src/formats/<name>` and `*.ts`. */
const NAMED = /(?<![\w./-])(?:src|dashboard|tools|bench|conformance|acceptance|docs)\/[\w./-]*[\w/](?![\w./-]*[<{*…])/g;

test.each(PAGES)('the files that %s names are there', async (page) => {
  const text = await Bun.file(path.join(root, page)).text();
  const names = new Set(text.match(NAMED));
  expect([...names].filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});
