import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { folderShapes } from './folder-shapes.ts';

function treeOf(...paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [`src/${path}`, '']));
}

describe('folder-shapes', () => {
  test('a format has the parts of the design, an index and tests', async () => {
    const parts = ['endpoints', 'schema', 'request', 'response', 'stream', 'failure', 'relay', 'index', 'request.test'];
    expect(await checkTree(folderShapes, treeOf(...parts.map((part) => `formats/text/gemini/${part}.ts`)))).toEqual([]);
  });

  test('any other name or folder in a format is reported', async () => {
    const tree = treeOf(
      'formats/text/gemini/helpers.ts',
      'formats/text/gemini/parts/request.ts',
      'formats/text/gemini/request.ts',
    );
    expect(await checkTree(folderShapes, tree)).toEqual([
      'src/formats/text/gemini/helpers.ts:1',
      'src/formats/text/gemini/parts/request.ts:1',
    ]);
  });

  test('a provider may have only a manifest, or the optional parts, too', async () => {
    const parts = ['manifest', 'authorize', 'quirks', 'failure', 'models', 'local', 'quirks.test'];
    const tree = treeOf('providers/groq/manifest.ts', ...parts.map((part) => `providers/bedrock/${part}.ts`));
    expect(await checkTree(folderShapes, tree)).toEqual([]);
  });

  test('a provider without a manifest is reported, and so is a name outside the shape', async () => {
    const tree = treeOf('providers/groq/authorize.ts', 'providers/openai/manifest.ts', 'providers/openai/client.ts');
    expect(await checkTree(folderShapes, tree)).toEqual([
      'src/providers/openai/client.ts:1',
      'src/providers/groq/authorize.ts:1',
    ]);
  });

  test('shared folders, files directly in the room and other rooms have no shape', async () => {
    const tree = treeOf(
      'formats/shared/stream/sse.ts',
      'formats/index.ts',
      'providers/manifest.ts',
      'engine/billing/x.ts',
    );
    expect(await checkTree(folderShapes, tree)).toEqual([]);
  });

  test('a name listed for one provider is allowed for that provider only', async () => {
    const tree = treeOf(
      'providers/sandbox/manifest.ts',
      'providers/sandbox/tokens.ts',
      'providers/groq/manifest.ts',
      'providers/groq/tokens.ts',
    );
    expect(await checkTree(folderShapes, tree)).toEqual(['src/providers/groq/tokens.ts:1']);
  });
});
