import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { testLevels } from './test-levels.ts';

describe('test-levels', () => {
  test.each([
    ['conformance/money/a.test.ts', `import { x } from '../../acceptance/shared/process-workspace.ts'`],
    ['conformance/money/bed.ts', `import { x } from '../../acceptance/shared/process-workspace.ts'`],
    ['src/main/a.test.ts', `import { x } from '../../acceptance/shared/process-workspace.ts'`],
    ['src/main/a.test.ts', `Bun.spawn(['ls'])`],
    ['conformance/a.test.ts', `Bun.spawnSync(['ls'])`],
    ['tools/x/a.test.ts', 'await Bun.$`ls`'],
    ['dashboard/kit/a.test.tsx', `import { spawn } from 'node:child_process'`],
  ])('%s: %s', async (path, code) => {
    expect(await checkTree(testLevels, { [path]: `\n${code};` })).toEqual([`${path}:2`]);
  });

  test.each([
    ['acceptance/money/a.test.ts', `import { x } from '../shared/process-workspace.ts'; Bun.spawn(['ls'])`],
    ['conformance/money/a.test.ts', `import { Workspace } from '../shared/workspace.ts'`],
    ['tools/x/a.test.ts', `// A process: the test is about what one prints.\nBun.spawn(['ls'])`],
    ['src/stores/postgres/testing/server.ts', `Bun.spawn(['postgres'])`],
    ['tools/screenshots/main.ts', `import { x } from '../../acceptance/dashboard/scene.ts'`],
  ])('%s is free to: %s', async (path, code) => {
    expect(await checkTree(testLevels, { [path]: `${code};` })).toEqual([]);
  });
});
