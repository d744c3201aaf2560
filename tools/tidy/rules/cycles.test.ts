import { describe, expect, test } from 'bun:test';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { cycles } from './cycles.ts';

describe('cycles', () => {
  test('two files that import each other are reported once, with the cycle', async () => {
    const tree = { 'src/main/a.ts': `\nimport './b.ts';`, 'src/main/b.ts': `import './a.ts';` };
    expect(await checkTree(cycles, tree)).toEqual(['src/main/a.ts:2']);
    expect(await messagesOf(cycles, tree)).toEqual([
      'import cycle: src/main/a.ts → src/main/b.ts → src/main/a.ts; move the shared code into a file that imports none of them',
    ]);
  });

  test('a long cycle, a type-only cycle and a file that imports itself count', async () => {
    const tree = {
      'src/main/a.ts': `import './b.ts';`,
      'src/main/b.ts': `import './c.ts';`,
      'src/main/c.ts': `import './a.ts';`,
      'src/upstream/d.ts': `import type { E } from './e.ts';`,
      'src/upstream/e.ts': `import type { D } from './d.ts';`,
      'src/upstream/f.ts': `import './f.ts';`,
    };
    expect(await checkTree(cycles, tree)).toEqual(['src/main/a.ts:1', 'src/upstream/d.ts:1', 'src/upstream/f.ts:1']);
  });

  test('several paths to one file are no cycle', async () => {
    const tree = {
      'src/main/a.ts': `import './b.ts';\nimport './c.ts';`,
      'src/main/b.ts': `import './d.ts';`,
      'src/main/c.ts': `import './d.ts';`,
      'src/main/d.ts': '',
    };
    expect(await checkTree(cycles, tree)).toEqual([]);
  });

  test('folders of the domain that import each other are reported, though no file does', async () => {
    const tree = {
      'src/domain/ledger/a.ts': `import '../money/x.ts';`,
      'src/domain/ledger/b.ts': '',
      'src/domain/money/x.ts': '',
      'src/domain/money/y.ts': `import '../ledger/b.ts';`,
    };
    expect(await messagesOf(cycles, tree)).toEqual([
      'import cycle: src/domain/ledger → src/domain/money → src/domain/ledger; move the shared code into a file that imports none of them',
    ]);
  });

  test('imports within one folder of the domain, and folders elsewhere, are no cycle', async () => {
    const tree = {
      'src/domain/ledger/a.ts': `import './b.ts';\nimport '../money/x.ts';`,
      'src/domain/ledger/b.ts': '',
      'src/domain/money/x.ts': '',
      'src/main/p/a.ts': `import '../q/a.ts';`,
      'src/main/q/b.ts': `import '../p/b.ts';`,
    };
    expect(await checkTree(cycles, tree)).toEqual([]);
  });

  test('cycles through tests do not count', async () => {
    const tree = { 'src/main/a.ts': `import './a.test.ts';`, 'src/main/a.test.ts': `import './a.ts';` };
    expect(await checkTree(cycles, tree)).toEqual([]);
  });
});
