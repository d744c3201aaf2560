import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nearestRatio, nearestSize } from '../../../domain/images/image-size.ts';
import type { ImageRequest, ImageShape } from '../../../domain/images/images.ts';
import { PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import { entryOf } from '../../shared/json/record.ts';
import { formRequest, imagePart, maskPart } from '../../shared/media/image-form.ts';
import { type ImageRules, jsonRequest, lossesOf, type Members } from '../../shared/media/image-request.ts';
import { LARGEST_INT32, seedWithin } from '../../shared/seeds.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { IDEOGRAM_RATIOS } from '../shared/image-ratios.ts';
import { RESOLUTIONS } from './models.ts';

/** The speed, which determines the price, is part of the model's id here. */
const SPEEDS: Readonly<Record<string, string>> = {
  'ideogram-v3': 'DEFAULT',
  'ideogram-v3-flash': 'FLASH',
  'ideogram-v3-turbo': 'TURBO',
  'ideogram-v3-balanced': 'BALANCED',
  'ideogram-v3-quality': 'QUALITY',
};
const STYLES: ReadonlySet<string> = new Set(['AUTO', 'GENERAL', 'REALISTIC', 'DESIGN', 'FICTION']);

/** The same for each image at all endpoints: "max size 10MB". */
const INPUTS = { formats: PNG_JPEG_WEBP, mostBytes: 10_000_000 };

const NO_QUALITY: Carriage = { verdict: 'dropped', why: 'the quality is part of the model’s name' };
const NO_STYLE: Carriage = { verdict: 'dropped', why: 'it is not one of the provider’s styles' };

/** Implements `ImageWire.asks`. */
export function asks(request: ImageRequest, { upstreamModel }: WireTarget): ImageShape {
  const isShaped = upstreamModel !== 'ideogram-v4' && request.mask === null;
  const { resolution, aspect_ratio: ratio } = isShaped ? shapeOf(request).members : {};
  if (typeof resolution === 'string') return { size: resolution, quality: null };
  return { size: typeof ratio === 'string' ? ratio.replace('x', ':') : null, quality: null };
}

export async function encodeRequest(asked: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const seed = seedWithin(asked, LARGEST_INT32);
  const encoded = await encodeFor(target.upstreamModel, { ...asked, seed: seed.value });
  return encoded instanceof Failure ? encoded : { ...encoded, losses: [...encoded.losses, ...seed.losses] };
}

async function encodeFor(upstreamModel: string, request: ImageRequest): Promise<WireRequest | Failure> {
  if (upstreamModel === 'ideogram-v4') return ideogram4(request);
  if (upstreamModel === 'ideogram-edit') return editByPrompt(request);
  return request.kind === 'generation' ? generation(request, upstreamModel) : await edit(request, upstreamModel);
}

function styleOf({ style }: ImageRequest): string | null {
  const name = style?.toUpperCase() ?? null;
  return name !== null && STYLES.has(name) ? name : null;
}

function rulesOf(request: ImageRequest): ImageRules {
  const style: Carriage = styleOf(request) === null ? NO_STYLE : 'exact';
  return {
    mostInputs: 1,
    fileFormats: ['png'],
    carries: { seed: 'exact', negativePrompt: 'exact', mask: 'exact', quality: NO_QUALITY, style },
    inputs: INPUTS,
  };
}

function membersOf(request: ImageRequest, model: string): Members {
  return {
    prompt: request.prompt,
    num_images: request.count,
    rendering_speed: entryOf(SPEEDS, model) ?? 'DEFAULT',
    seed: request.seed,
    style_type: styleOf(request),
  };
}

/** Returns one of the provider's sizes or a ratio, because it does not accept both. */
function shapeOf(request: ImageRequest): { readonly members: Members; readonly losses: readonly Loss[] } {
  const hasSize = request.size !== null && request.size !== 'auto';
  const { value, losses } = hasSize ? nearestSize(request, RESOLUTIONS) : nearestRatio(request, IDEOGRAM_RATIOS);
  if (value === null) return { members: {}, losses };
  return { members: hasSize ? { resolution: value } : { aspect_ratio: value.replace(':', 'x') }, losses };
}

function generation(request: ImageRequest, model: string): WireRequest | Failure {
  const lost = lossesOf(request, rulesOf(request));
  if (lost instanceof Failure) return lost;
  const shape = shapeOf(request);
  const members = { ...membersOf(request, model), ...shape.members, negative_prompt: request.negativePrompt };
  return jsonRequest(members, request, [...lost, ...shape.losses], { suffix: '/v1/ideogram-v3/generate' });
}

/** Edits an area if there is a mask; otherwise regenerates the whole image. */
async function edit(request: ImageRequest, model: string): Promise<WireRequest | Failure> {
  const { mask } = request;
  const rules = rulesOf(request);
  const { negativePrompt: _, ...withoutNegative } = rules.carries;
  const lost = lossesOf(request, mask === null ? rules : { ...rules, carries: withoutNegative });
  if (lost instanceof Failure) return lost;
  const files = request.images.map((image) => imagePart('image', image));
  const members = membersOf(request, model);
  if (mask === null) {
    const shape = shapeOf(request);
    const more = { ...members, ...shape.members, negative_prompt: request.negativePrompt };
    return formRequest(more, files, request, [...lost, ...shape.losses], { suffix: '/v1/ideogram-v3/remix' });
  }
  const part = await maskPart(mask, 'black');
  if (part instanceof Failure) return part;
  return formRequest(members, [...files, part], request, [...lost, ...unshaped(request)], {
    suffix: '/v1/ideogram-v3/edit',
  });
}

function unshaped({ size, aspectRatio }: ImageRequest): readonly Loss[] {
  const why = 'the provider does not support this field here';
  const losses: Loss[] = [];
  if (size !== null && size !== 'auto') losses.push({ field: 'size', verdict: 'dropped', why });
  if (aspectRatio !== null) losses.push({ field: 'aspect_ratio', verdict: 'dropped', why });
  return losses;
}

/** Encodes for a model that accepts only a prompt and a seed. */
function ideogram4(request: ImageRequest): WireRequest | Failure {
  const lost = lossesOf(request, { mostInputs: 0, fileFormats: ['png'], carries: { seed: 'exact' } });
  if (lost instanceof Failure) return lost;
  const members = { prompt: request.prompt, seed: request.seed };
  return jsonRequest(members, request, [...lost, ...unshaped(request)], { suffix: '/v1/ideogram-v4/generate' });
}

/** Encodes for `POST /v1/edit`, which accepts up to ten images and an instruction. */
function editByPrompt(request: ImageRequest): WireRequest | Failure {
  const carries = { seed: 'exact', background: 'exact' } as const;
  const lost = lossesOf(request, { mostInputs: 10, fileFormats: ['png'], carries, inputs: INPUTS });
  if (lost instanceof Failure) return lost;
  const files = request.images.map((image, index) => imagePart('images', image, `image-${index + 1}`));
  const shape = shapeOf(request);
  const members: Members = {
    ...{ prompt: request.prompt, num_images: request.count, seed: request.seed, ...shape.members },
    transparent_background: request.background === 'transparent' ? true : null,
  };
  return formRequest(members, files, request, [...lost, ...shape.losses], { suffix: '/v1/edit' });
}
