import { expect, test } from 'bun:test';
import type { ModelOperation } from '../domain/catalog/model-operation.ts';
import { operationWires } from '../formats/index.ts';
import { providers } from './index.ts';
import type { UpstreamPath } from './manifest.ts';

const manifests = [...providers.values()];

test('every wire of a provider is supported by the gateway', () => {
  const unknown = manifests.flatMap(({ wires = [] }) => wires.filter(({ wire }) => !operationWires.has(wire)));
  expect(unknown).toEqual([]);
});

test('a provider with embedding models supports embeddings', () => {
  const lacking = manifests.filter(({ models = () => [], wires = [] }) => {
    const speaks = wires.some(({ wire }) => operationWires.get(wire)?.operations.includes('embeddings'));
    return !speaks && models().some(({ category }) => category === 'embedding');
  });
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

test('a provider with rerank models supports rerank', () => {
  const lacking = manifests.filter(({ models = () => [], wires = [] }) => {
    const speaks = wires.some(({ wire }) => operationWires.get(wire)?.operations.includes('rerank'));
    return !speaks && models().some(({ operations }) => operations.includes('rerank'));
  });
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

/** Their image APIs have different shapes or need several steps. */
const WITHOUT_IMAGES = ['alibaba', 'bedrock', 'fireworks', 'minimax', 'nvidia', 'vercel'];

test('a provider with image models supports images', () => {
  const lacking = manifests.flatMap(({ name, models = () => [], wires = [] }) => {
    const isServed = (id: string, operation: ModelOperation) =>
      wires.some(({ wire, models: served }) => {
        return operationWires.get(wire)?.operations.includes(operation) && (served?.test(id) ?? true);
      });
    const asked = models().flatMap(({ id, operations }) =>
      operations.filter((one) => one.startsWith('images.')).map((one) => isServed(id, one)),
    );
    return asked.includes(false) ? [name] : [];
  });
  expect(lacking.sort()).toEqual(WITHOUT_IMAGES);
});

/** Alibaba, Vercel and Z.ai have a different shape, or none that is documented. */
const WITHOUT_TRANSCRIPTS = ['alibaba', 'vercel', 'zai'];

test('a provider with transcription models supports transcriptions', () => {
  const lacking = manifests.filter(({ models = () => [], wires = [] }) => {
    const speaks = wires.some(({ wire }) => operationWires.get(wire)?.operations.includes('audio.transcriptions'));
    return !speaks && models().some(({ operations }) => operations.includes('audio.transcriptions'));
  });
  expect(lacking.map(({ name }) => name).sort()).toEqual(WITHOUT_TRANSCRIPTS);
});

test.each([
  ['xai', 'grok-imagine-video-1.5', 'xai-videos /videos'],
  ['together', 'ByteDance/Seedance-2.5', 'together-videos /videos'],
  ['openai', 'sora-2', 'openai-videos /videos'],
  ['openai-compatible', 'wan-2.2', 'openai-videos /videos'],
  ['google', 'models/veo-3.1-generate-preview', 'veo /models/veo-3.1-generate-preview:predictLongRunning'],
  ['vertex', 'veo-3.1-generate-001', 'veo /v1/publishers/google/models/veo-3.1-generate-001:predictLongRunning'],
  // Reachable only through Interactions.
  ['google', 'gemini-omni-1.2-flash', undefined],
  ['vertex', 'gemini-omni-1.2-flash', undefined],
])('%s makes videos of %s at its own endpoint', (provider, model, expected) => {
  const wire = providers.get(provider)?.wires?.find(({ wire: name, models }) => {
    return operationWires.get(name)?.operations.includes('videos.generations') && (models?.test(model) ?? true);
  });
  const path = typeof wire?.path === 'function' ? wire.path({ model, stream: false, settings: {} }) : wire?.path;
  expect(wire && `${wire.wire} ${path}`).toBe(expected);
});

test('Azure has embeddings below the deployment if the channel has an API version', () => {
  const wire = providers.get('azure-openai')?.wires?.find((one) => one.wire === 'openai-embeddings');
  const path = (settings: Readonly<Record<string, unknown>>, of: UpstreamPath | undefined = wire?.path) =>
    typeof of === 'function' ? of({ model: 'my embed', stream: false, settings }) : of;
  expect(path({})).toBe('/openai/v1/embeddings');
  expect(path({ api_version: '2024-10-21' })).toBe('/openai/deployments/my%20embed/embeddings?api-version=2024-10-21');
});
