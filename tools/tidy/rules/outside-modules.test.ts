import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { outsideModules } from './outside-modules.ts';

describe('outside-modules', () => {
  test('the domain imports nothing from outside the project', async () => {
    const text = `import 'zod';\nimport 'node:crypto';\nimport 'bun:sqlite';\nimport 'bun';\nimport type { X } from 'hono';`;
    expect(await checkTree(outsideModules, { 'src/domain/money/a.ts': text })).toEqual(
      [1, 2, 3, 4, 5].map((line) => `src/domain/money/a.ts:${line}`),
    );
  });

  test('zod is allowed in formats, providers and engine', async () => {
    const text = `import { z } from 'zod';`;
    const tree = { 'src/formats/x/a.ts': text, 'src/providers/x/a.ts': text, 'src/engine/x/a.ts': text };
    expect(await checkTree(outsideModules, tree)).toEqual([]);
  });

  test('the engine may use node:crypto and node:zlib, and no other module of the runtime', async () => {
    const text = `import 'node:crypto';\nimport 'node:fs';\nimport 'bun:sqlite';\nimport 'crypto';\nimport 'node:zlib';`;
    expect(
      await checkTree(outsideModules, { 'src/engine/x/a.ts': text, 'src/formats/x/a.ts': `import 'node:crypto';` }),
    ).toEqual(['src/engine/x/a.ts:2', 'src/engine/x/a.ts:3', 'src/engine/x/a.ts:4', 'src/formats/x/a.ts:1']);
  });

  test('the matcher of the semantic cache is pure, the folders beside it are exempt', async () => {
    const text = `import 'node:worker_threads';`;
    const tree = { 'src/semantic-cache/matcher/a.ts': text, 'src/semantic-cache/question-index/a.ts': text };
    expect(await checkTree(outsideModules, tree)).toEqual(['src/semantic-cache/matcher/a.ts:1']);
  });

  test('an allowed name does not allow names that begin with it', async () => {
    expect(await checkTree(outsideModules, { 'src/formats/x/a.ts': `import 'zod-extras';` })).toEqual([
      'src/formats/x/a.ts:1',
    ]);
  });

  test('everything is allowed from the fourth floor on, and in tests', async () => {
    const text = `import 'kysely';\nimport 'bun:sqlite';\nimport 'node:fs';`;
    const tree = {
      'src/stores/sqlite/a.ts': text,
      'src/upstream/a.ts': text,
      'src/transports/ops/a.ts': text,
      'src/main/a.ts': text,
      'src/domain/money/a.test.ts': `import 'fast-check';`,
    };
    expect(await checkTree(outsideModules, tree)).toEqual([]);
  });
});
