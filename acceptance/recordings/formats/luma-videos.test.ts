import { expect, test } from 'bun:test';
import { videoSent } from '../../../src/formats/shared/testing/video-exchange.ts';
import { lumaVideos } from '../../../src/formats/video/luma-videos/index.ts';
import { publishedDocument } from '../documents.ts';

test('a request has only members of Luma’s document', async () => {
  const { properties } = publishedDocument('luma.openapi.yaml').components.schemas.GenerationRequest;
  const firstImage = { kind: 'url', url: 'https://images.example/first.png' } as const;
  const options = Object.fromEntries((lumaVideos.harmlessOptions ?? []).map((name) => [name, true]));
  const asked = { firstImage, aspectRatio: '1:1', resolution: '4k', durationSeconds: 5, options };
  const sent = await videoSent(lumaVideos, 'ray-2', asked);
  if (typeof sent === 'string') throw new Error(sent);
  expect(Object.keys(sent.body).filter((name) => !Object.hasOwn(properties, name))).toEqual([]);
});
