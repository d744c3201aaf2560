import { expect, test } from 'bun:test';
import type { ImageRequest } from '../../domain/images/images.ts';
import { imageWires } from '../index.ts';
import { sentOver } from '../shared/testing/image-exchange.ts';
import { PLAIN_IMAGE } from '../shared/testing/image-samples.ts';

/* A wire must report the shape that it actually sends, because the image is priced by it. */

const SHAPES: readonly Partial<ImageRequest>[] = [
  {},
  { size: 'auto', quality: 'auto' },
  { aspectRatio: '16:9' },
  { aspectRatio: '1:3', quality: 'hd' },
  ...[
    [1024, 1024],
    [1791, 1025],
    [1537, 1023],
    [3000, 2999],
    [1, 1],
  ].map(([width = 0, height = 0]) => ({ size: { width, height }, quality: 'max' as const })),
];

test.each([
  ['openai-images', 'dall-e-2'],
  ['openai-images', 'dall-e-3'],
  ['openai-images', 'gpt-image-1'],
  ['openai-images', 'gpt-image-2'],
  ['openai-images', 'of-someone-else'],
  ['bfl-images', 'flux-2-pro'],
  ['bfl-images', 'flux-pro-1.1'],
  ['bfl-images', 'flux-kontext-pro'],
  ['bfl-images', 'flux-pro-1.0-fill'],
  ['fal-images', 'fal-ai/flux/dev'],
  ['fal-images', 'fal-ai/nano-banana-pro'],
  ['xai-images', 'grok-imagine-image-2'],
  ['together-images', 'black-forest-labs/FLUX.1-schnell'],
  ['recraft-images', 'recraftv3'],
  ['recraft-images', 'recraftv4_vector'],
  ['ideogram-images', 'ideogram-v3'],
  ['ideogram-images', 'ideogram-v4'],
  ['replicate-images', 'black-forest-labs/flux-1.1-pro'],
  ['replicate-images', 'google/imagen-4'],
])('%s requests from %s the size and quality that it declares', async (name, upstreamModel) => {
  const wire = imageWires.get(name);
  if (wire?.asks === undefined) throw new Error(`${name} does not say what it asks for`);
  for (const shape of SHAPES) {
    const request = { ...PLAIN_IMAGE, ...shape, body: { ...PLAIN_IMAGE.body } };
    const sent = await sentOver(wire, upstreamModel, shape);
    if (typeof sent === 'string') continue;
    const { size, quality } = wire.asks(request, { upstreamModel });
    const text = JSON.stringify(sent.body);
    if (quality !== null) expect(text).toContain(`"quality":"${quality}"`);
    const [width, height] = size?.split('x') ?? [];
    if (size === null) {
      if (name !== 'xai-images') expect(text).not.toMatch(/"(?:size|width|image_size|aspect_ratio|resolution)":/);
    } else if (!text.includes(`"${size}"`) && !text.includes(`"${size.replace(':', 'x')}"`)) {
      expect(text).toContain(`"width":${width},"height":${height}`);
    }
  }
});
