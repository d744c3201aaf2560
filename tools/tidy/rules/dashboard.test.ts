import { describe, expect, test } from 'bun:test';
import { checkTree, messagesOf } from '../testing/check-tree.ts';
import { dashboard } from './dashboard.ts';

describe('dashboard', () => {
  test.each([
    ['dashboard/api/a.ts', '../../src/domain/money/nano-usd.ts'],
    ['dashboard/build/a.ts', '../../src/main/gateway.ts'],
    ['src/main/a.ts', '../../dashboard/build/bundle.ts'],
    ['dashboard/main.tsx', './build/bundle.ts'],
    ['dashboard/build/bundle.ts', '../kit/button.tsx'],
    ['dashboard/text/a.ts', '../api/client.ts'],
    ['dashboard/api/a.ts', '../kit/button.tsx'],
    ['dashboard/kit/a.tsx', '../shell/frame.tsx'],
    ['dashboard/shell/a.tsx', '../pages/keys/page.tsx'],
    ['dashboard/shell/a.tsx', '../routes.tsx'],
    ['dashboard/pages/keys/page.tsx', '../tokens/list.tsx'],
    ['dashboard/pages/shared/a.tsx', '../tokens/list.tsx'],
  ])('%s must not import %s', async (path, target) => {
    expect(await checkTree(dashboard, { [path]: `\nimport '${target}';` })).toEqual([`${path}:2`]);
  });

  test.each([
    ['dashboard/build/main.ts', '../../src/transports/shared/bundle.ts'],
    ['dashboard/build/main.ts', './bundle.ts'],
    ['dashboard/main.tsx', './routes.tsx'],
    ['dashboard/routes.tsx', './pages/keys/page.tsx'],
    ['dashboard/pages/keys/page.tsx', './parts/list.tsx'],
    ['dashboard/pages/keys/parts/list.tsx', '../page.tsx'],
    ['dashboard/pages/keys/page.tsx', '../shared/signed-out-layout.tsx'],
    ['dashboard/pages/keys/page.tsx', '../../kit/button.tsx'],
    ['dashboard/shell/frame.tsx', '../icon.svg'],
    ['dashboard/kit/a.tsx', '../text/kit.ts'],
    ['dashboard/kit/a.test.tsx', '../pages/keys/page.tsx'],
    ['tools/docs/a.ts', '../../dashboard/api/schema.ts'],
  ])('%s may import %s', async (path, target) => {
    expect(await checkTree(dashboard, { [path]: `import '${target}';` })).toEqual([]);
  });

  test('lazy imports count', async () => {
    expect(await messagesOf(dashboard, { 'dashboard/pages/a/page.tsx': `import('../b/page.tsx');` })).toEqual([
      'imports dashboard/pages/b/page.tsx of another page; move the shared code to pages/shared, or to the kit',
    ]);
  });
});
