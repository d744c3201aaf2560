import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { siblings } from './siblings.ts';

describe('siblings', () => {
  test.each(['providers', 'stores', 'transports'])('folders of %s do not import each other', async (room) => {
    const tree = {
      [`src/${room}/one/a.ts`]: `\nimport '../two/b.ts';`,
      [`src/${room}/two/b.ts`]: `import './c.ts';`,
      [`src/${room}/two/c.ts`]: '',
    };
    expect(await checkTree(siblings, tree)).toEqual([`src/${room}/one/a.ts:2`]);
  });

  test.each(['formats', 'providers', 'stores', 'transports'])('all folders of %s may import shared', async (room) => {
    expect(await checkTree(siblings, { [`src/${room}/one/a.ts`]: `import '../shared/deep/b.ts';` })).toEqual([]);
  });

  test('a wire imports what its operation and the room share; a host imports what any operation shares', async () => {
    const tree = {
      'src/formats/images/imagen/a.ts': `import '../shared/b.ts';\nimport '../wire.ts';\nimport '../../shared/json/b.ts';\nimport '../xai-images/b.ts';\nimport '../../video/shared/b.ts';`,
      'src/formats/hosts/fal-videos/a.ts': `import '../../video/shared/b.ts';\nimport '../../video/veo/b.ts';`,
      'src/formats/video/shared/b.ts': `import '../veo/b.ts';\nimport '../../shared/json/b.ts';`,
    };
    expect(await checkTree(siblings, tree)).toEqual([
      'src/formats/hosts/fal-videos/a.ts:2',
      'src/formats/images/imagen/a.ts:4',
      'src/formats/images/imagen/a.ts:5',
      'src/formats/video/shared/b.ts:1',
    ]);
  });

  test('the trainer of the semantic cache imports the matcher, and the matcher none of its siblings', async () => {
    const tree = {
      'src/semantic-cache/training/a.ts': `import '../matcher/b.ts';`,
      'src/semantic-cache/matcher/b.ts': `import '../training/a.ts';\nimport '../question-index/c.ts';`,
    };
    expect(await checkTree(siblings, tree)).toEqual([
      'src/semantic-cache/matcher/b.ts:1',
      'src/semantic-cache/matcher/b.ts:2',
    ]);
  });

  test('shared imports none of the folders that it serves', async () => {
    expect(await checkTree(siblings, { 'src/formats/shared/a.ts': `import '../text/shared/b.ts';` })).toEqual([
      'src/formats/shared/a.ts:1',
    ]);
  });

  test('rooms of the engine import those that they build on, and no others', async () => {
    const tree = {
      'src/engine/billing/a.ts': `import '../ports/clock.ts';`,
      'src/engine/call/a.ts': `import '../directory/b.ts';\nimport '../operations/text/b.ts';`,
      'src/engine/health/a.ts': `import '../access/b.ts';`,
      'src/engine/nowhere/a.ts': `import '../ports/clock.ts';`,
      'src/engine/ports/clock.ts': `import '../billing/a.ts';`,
      'src/stores/sqlite/a.ts': `import '../ports/b.ts';\nimport '../../engine/ports/clock.ts';`,
    };
    expect(await checkTree(siblings, tree)).toEqual([
      'src/engine/call/a.ts:2',
      'src/engine/health/a.ts:1',
      'src/engine/nowhere/a.ts:1',
      'src/engine/ports/clock.ts:1',
      'src/stores/sqlite/a.ts:1',
    ]);
  });

  test('one operation does not import another, unless it handles text requests', async () => {
    const tree = {
      'src/engine/operations/embeddings/a.ts': `import '../text/b.ts';\nimport './c.ts';`,
      'src/engine/operations/token-count/a.ts': `import '../text/b.ts';\nimport '../index.ts';`,
      'src/engine/operations/index.ts': `import './text/b.ts';`,
    };
    expect(await checkTree(siblings, tree)).toEqual(['src/engine/operations/embeddings/a.ts:1']);
  });

  test('a registry imports the siblings; the siblings import the shape but not the registry', async () => {
    const tree = {
      'src/providers/index.ts': `import './openai/manifest.ts';\nimport './manifest.ts';`,
      'src/providers/openai/manifest.ts': `import '../manifest.ts';`,
      'src/providers/groq/manifest.ts': `import '../index.ts';`,
      'src/formats/text/gemini/request.ts': `import '../../wire.ts';`,
    };
    expect(await checkTree(siblings, tree)).toEqual(['src/providers/groq/manifest.ts:1']);
  });

  test('folders of the domain may import each other, and tests may import any', async () => {
    const tree = {
      'src/domain/ledger/a.ts': `import '../money/b.ts';`,
      'src/formats/text/gemini/request.test.ts': `import '../openai-chat/request.ts';`,
    };
    expect(await checkTree(siblings, tree)).toEqual([]);
  });
});
