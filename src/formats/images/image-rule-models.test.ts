import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { ImageRequest } from '../../domain/images/images.ts';
import { imageWires } from '../index.ts';
import { INLINE_PIXEL, PLAIN_IMAGE } from '../shared/testing/image-samples.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/* Rules about a model must apply even if a channel has its own id for it. */

const ALIAS = 'acme/an-alias';

const ASKED: readonly Partial<ImageRequest>[] = [
  {
    count: 4,
    size: { width: 1_000, height: 333 },
    seed: 7,
    negativePrompt: 'fog',
    style: 'Photorealism',
    quality: 'high',
  },
  { aspectRatio: '16:9', fileFormat: 'png' },
  { kind: 'edit', images: [INLINE_PIXEL] },
];

const MODELS: readonly (readonly [wire: string, model: string])[] = [
  ['xai-images', 'grok-imagine-image-2.0'],
  ['together-images', 'black-forest-labs/FLUX.1-kontext-pro'],
  ['together-images', 'openai/gpt-image-2'],
  ['replicate-images', 'black-forest-labs/flux-schnell'],
  ['replicate-images', 'google/nano-banana'],
  ['fal-images', 'fal-ai/nano-banana-2'],
  ['fal-images', 'fal-ai/qwen-image'],
  ['recraft-images', 'recraftv3'],
  ['recraft-images', 'recraftv4_1_vector'],
  ['bfl-images', 'flux-kontext-pro'],
  ['gemini-images', 'gemini-3-pro-image'],
  ['openai-images', 'dall-e-3'],
];

async function sent(wire: string, target: WireTarget, more: Partial<ImageRequest>): Promise<unknown> {
  const found = imageWires.get(wire);
  if (found === undefined) throw new Error(`there is no wire ${wire}`);
  const request = { ...PLAIN_IMAGE, ...more };
  const encoded: WireRequest | Failure = await found.encodeRequest(request, target);
  if (encoded instanceof Failure) return encoded.details.param;
  if (!(encoded.body instanceof Uint8Array)) throw new Error('the wire sends no JSON');
  const { model: _model, version: _version, ...members } = JSON.parse(new TextDecoder().decode(encoded.body));
  return { members, losses: encoded.losses, shape: found.asks?.(request, target) };
}

test.each(MODELS)('over %s, an alias of %s gets the same request as the model', async (wire, model) => {
  for (const more of ASKED) {
    const own = await sent(wire, { upstreamModel: model }, more);
    expect(await sent(wire, { upstreamModel: ALIAS, ruleModel: model }, more)).toEqual(own);
  }
});
