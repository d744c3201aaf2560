import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { pureDomain } from './pure-domain.ts';

describe('pure-domain', () => {
  test.each([
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'performance.now()',
    'Math.random()',
    'setTimeout(f, 1)',
    'setInterval(f, 1)',
    `fetch('x')`,
    `globalThis.fetch('x')`,
    'process.env.HOME',
    'process.hrtime()',
    'Bun.hash(x)',
    'crypto.randomUUID()',
    'console.log(x)',
    'schedule(setTimeout)',
    'const { now = Date.now } = options',
  ])('%s is impure', async (code) => {
    expect(await checkTree(pureDomain, { 'src/domain/money/a.ts': `\n${code};` })).toEqual(['src/domain/money/a.ts:2']);
  });

  test.each([
    'new Date(timestampMs)',
    'Date.UTC(2026, 1)',
    'Math.max(1, 2)',
    'value instanceof Date',
    'structuredClone(x)',
    'clock.fetch()',
    `'Date.now()'`,
    '/Date.now()/',
    '// Date.now() and fetch()',
    'function f(fetch: () => void) { fetch(); }',
    'const o = { process: 1, console: 2 }',
    'type T = typeof fetch',
  ])('%s is pure', async (code) => {
    expect(await checkTree(pureDomain, { 'src/domain/money/a.ts': code })).toEqual([]);
  });

  test('the matcher of the semantic cache is also pure, and uses only itself and the domain', async () => {
    const tree = {
      'src/semantic-cache/matcher/a.ts': `import './b.ts';\nimport '../../domain/cache/c.ts';\nimport '../question-index/d.ts';\nDate.now();`,
      'src/semantic-cache/question-index/d.ts': 'Date.now();',
    };
    expect((await checkTree(pureDomain, tree)).sort()).toEqual([
      'src/semantic-cache/matcher/a.ts:3',
      'src/semantic-cache/matcher/a.ts:4',
    ]);
  });

  test('other rooms and tests are exempt', async () => {
    const tree = { 'src/stores/sqlite/a.ts': 'Date.now();', 'src/domain/money/a.test.ts': 'Date.now();' };
    expect(await checkTree(pureDomain, tree)).toEqual([]);
  });
});
