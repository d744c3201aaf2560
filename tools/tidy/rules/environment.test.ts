import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { environment } from './environment.ts';

describe('environment', () => {
  test.each([
    'process.env.PORT',
    `process.env['PORT']`,
    'process.env[name]',
    'Bun.env.PORT',
    'globalThis.process.env',
    'const { env } = process',
    'const runtime = Bun',
  ])('%s reads it', async (code) => {
    expect(await checkTree(environment, { 'src/stores/sqlite/a.ts': `\n${code};` })).toEqual([
      'src/stores/sqlite/a.ts:2',
    ]);
  });

  test.each(['process.pid', 'Bun.serve({})', 'context.env.PORT', '// process.env', `'process.env'`])(
    '%s does not',
    async (code) => {
      expect(await checkTree(environment, { 'src/stores/sqlite/a.ts': `${code};` })).toEqual([]);
    },
  );

  test('main, tests and files outside src may read it', async () => {
    const text = 'process.env.PORT;';
    const tree = { 'src/main/a.ts': text, 'src/stores/redis/a.test.ts': text, 'bench/a.ts': text };
    expect(await checkTree(environment, tree)).toEqual([]);
  });
});
