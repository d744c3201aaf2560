import { expect, test } from 'bun:test';
import { packageFolders, renderNotices } from './licenses.ts';

test('files belong to the innermost package, and own files to none', () => {
  const files = [
    'src/main/run.ts',
    'node_modules/zod/v4/index.js',
    'node_modules/zod/v4/core.js',
    'node_modules/@scope/a/dist/x.js',
    'node_modules/@scope/a/node_modules/b/x.js',
    '../main/node_modules/@scope/c/node_modules/@other/d/x.js',
  ];
  expect(packageFolders(files)).toEqual([
    '../main/node_modules/@scope/c/node_modules/@other/d',
    'node_modules/@scope/a',
    'node_modules/@scope/a/node_modules/b',
    'node_modules/zod',
  ]);
});

test('each package has its version, its licence and the texts', () => {
  const page = renderNotices([
    { name: 'a', version: '1.0.0', license: 'MIT', texts: ['Copyright A', 'NOTICE A'] },
    { name: 'b', version: '2.0.0', license: 'ISC', texts: [] },
  ]);
  expect(page).toContain('a 1.0.0 (MIT)\n\nCopyright A\n\nNOTICE A');
  expect(page).toEndWith('b 2.0.0 (ISC)\n\nThe package has no licence file.\n');
});
