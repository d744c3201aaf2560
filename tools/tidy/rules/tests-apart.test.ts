import { expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { testsApart } from './tests-apart.ts';

test('shipped code imports neither tests nor test helpers; tests may', async () => {
  const tree = {
    'src/stores/sqlite/a.ts': `import './a.test.ts';\nimport '../testing/suite.ts';\nimport './b.ts';`,
    'src/stores/sqlite/a.test.ts': `import '../testing/suite.ts';`,
    'src/stores/testing/suite.ts': `import '../sqlite/a.test.ts';`,
  };
  expect(await checkTree(testsApart, tree)).toEqual(['src/stores/sqlite/a.ts:1', 'src/stores/sqlite/a.ts:2']);
});

test('only tests and test helpers import the test runner', async () => {
  const text = `\nimport { test } from 'bun:test';`;
  const tree = { 'src/main/a.ts': text, 'src/main/a.test.ts': text, 'src/main/testing/suite.ts': text };
  expect(await checkTree(testsApart, tree)).toEqual(['src/main/a.ts:2']);
});

test('shipped code does not import the trainer of the semantic cache; the trainer imports shipped code', async () => {
  const tree = {
    'src/semantic-cache/learned-matcher.ts': `import './training/learn.ts';`,
    'src/semantic-cache/training/learn.ts': `import '../matcher/score.ts';\nimport './random.ts';`,
  };
  expect(await checkTree(testsApart, tree)).toEqual(['src/semantic-cache/learned-matcher.ts:1']);
});
