import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { folderShapes } from './folder-shapes.ts';

function treeOf(...paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [`src/${path}`, '']));
}

describe('folder-shapes', () => {
  test('a text format has its parts, each with its direction, and tests', async () => {
    const parts = [
      'index',
      'capabilities',
      'schema',
      'answer.decode',
      'stream.decode',
      'stream.decode.tools',
      'tools',
      'stream.test',
    ];
    expect(await checkTree(folderShapes, treeOf(...parts.map((part) => `formats/text/gemini/${part}.ts`)))).toEqual([]);
  });

  test('a text format has no other names or folders, and none of the parts of other wires', async () => {
    const parts = [
      'index',
      'capabilities',
      'schema',
      'answer.decode',
      'stream.decode',
      'helpers',
      'parts/usage',
      'request',
      'stream',
    ];
    const tree = treeOf(...parts.map((part) => `formats/text/gemini/${part}.ts`));
    expect(await checkTree(folderShapes, tree)).toEqual(
      ['helpers', 'parts/usage', 'request', 'stream'].map((part) => `src/formats/text/gemini/${part}.ts:1`),
    );
  });

  test('a text format without a required part is reported', async () => {
    const tree = treeOf(
      ...['index', 'capabilities', 'schema', 'answer.decode'].map((part) => `formats/text/gemini/${part}.ts`),
    );
    expect(await checkTree(folderShapes, tree)).toEqual(['src/formats/text/gemini/answer.decode.ts:1']);
  });

  test('any other wire has a request and a response', async () => {
    const tree = treeOf(
      ...['index', 'request', 'response', 'request.decode'].map((part) => `formats/rerank/jina/${part}.ts`),
    );
    expect(await checkTree(folderShapes, tree)).toEqual(['src/formats/rerank/jina/request.decode.ts:1']);
  });

  test('a provider may have only a manifest, or the optional parts, too', async () => {
    const parts = ['manifest', 'authorize', 'quirks', 'failure', 'models', 'local', 'quirks.test', 'in-process/jobs'];
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
      'formats/text/shared/rest.ts',
      'formats/index.ts',
      'providers/manifest.ts',
      'engine/billing/x.ts',
    );
    expect(await checkTree(folderShapes, tree)).toEqual([]);
  });

  test('a name listed for one format is allowed for that format only', async () => {
    const parts = ['index', 'capabilities', 'schema', 'answer.decode', 'stream.decode', 'socket'];
    const tree = treeOf(
      ...parts.flatMap((part) => [`formats/text/openai-responses/${part}.ts`, `formats/text/gemini/${part}.ts`]),
    );
    expect(await checkTree(folderShapes, tree)).toEqual(['src/formats/text/gemini/socket.ts:1']);
  });
});
