import { describe, expect, test } from 'bun:test';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { floors } from './floors.ts';

const LADDER = ['domain/a.ts', 'formats/a.ts', 'providers/a.ts', 'engine/a.ts', 'stores/a.ts', 'main/a.ts'];

describe('floors', () => {
  test('every floor may import every floor below it', async () => {
    const tree = Object.fromEntries(
      LADDER.map((path, index) => [
        `src/${path}`,
        LADDER.slice(0, index)
          .map((below) => `import '../${below}';\n`)
          .join(''),
      ]),
    );
    expect(await checkTree(floors, tree)).toEqual([]);
  });

  test('no floor may import a floor above it', async () => {
    const tree = Object.fromEntries(
      LADDER.map((path, index) => [
        `src/${path}`,
        LADDER.slice(index + 1)
          .map((above) => `import '../${above}';\n`)
          .join(''),
      ]),
    );
    expect((await checkTree(floors, tree)).length).toBe((LADDER.length * (LADDER.length - 1)) / 2);
  });

  test('the message names both floors and the way out', async () => {
    expect(await messagesOf(floors, { 'src/domain/a.ts': `import type { S } from '../stores/s.ts';` })).toEqual([
      'domain (floor 0) imports src/stores/s.ts (floor 4); move the shared code down, or pass it in through a port',
    ]);
  });

  test('type-only, dynamic and re-exporting imports count', async () => {
    const tree = {
      'src/domain/a.ts': `import type { X } from '../engine/x.ts';\nexport * from '../main/y.ts';\nawait import('../stores/z.ts');`,
    };
    expect(await checkTree(floors, tree)).toEqual(['src/domain/a.ts:1', 'src/domain/a.ts:2', 'src/domain/a.ts:3']);
  });

  test('stores, upstream and transports do not import each other', async () => {
    const tree = {
      'src/stores/sqlite/a.ts': `import '../../upstream/client.ts';`,
      'src/upstream/client.ts': `import '../transports/inference/a.ts';`,
      'src/transports/inference/a.ts': `import '../../stores/sqlite/a.ts';`,
    };
    expect((await checkTree(floors, tree)).length).toBe(3);
  });

  test('imports within a room are not checked', async () => {
    expect(await checkTree(floors, { 'src/upstream/a.ts': `import './b.ts';`, 'src/upstream/b.ts': '' })).toEqual([]);
  });

  test('a file outside the known rooms is reported, and so is an import of it', async () => {
    const tree = { 'src/helpers/a.ts': '', 'src/b.ts': '', 'src/main/c.ts': `import '../helpers/a.ts';` };
    expect(await checkTree(floors, tree)).toEqual(['src/b.ts:1', 'src/helpers/a.ts:1', 'src/main/c.ts:1']);
  });

  test('only listed paths outside src are imported', async () => {
    const tree = {
      'src/main/version.ts': `import '../../package.json';`,
      'src/transports/ops/page.ts': `import '../../../dashboard/index.html';`,
      'src/engine/a.ts': `import '../../package.json';`,
      'src/main/b.ts': `import '../../tools/x.ts';`,
    };
    expect(await checkTree(floors, tree)).toEqual([
      'src/engine/a.ts:1',
      'src/main/b.ts:1',
      'src/transports/ops/page.ts:1',
    ]);
  });

  test('tests of the engine and below it may import files outside src, but no floor above', async () => {
    const tree = {
      'src/engine/a.test.ts': `import '../stores/sqlite/a.ts';\nimport '../../conformance/shared/until.ts';`,
      'src/engine/call/testing/b.ts': `import '../../../upstream/b.ts';`,
      'src/domain/c.test.ts': `import '../formats/c.ts';`,
    };
    expect(await checkTree(floors, tree)).toEqual([
      'src/domain/c.test.ts:1',
      'src/engine/a.test.ts:1',
      'src/engine/call/testing/b.ts:1',
    ]);
  });

  test('tests above the engine and files outside src are exempt', async () => {
    const tree = {
      'src/transports/a.test.ts': `import '../stores/sqlite/a.ts';`,
      'bench/a.ts': `import '../src/main/a.ts';`,
    };
    expect(await checkTree(floors, tree)).toEqual([]);
  });
});
