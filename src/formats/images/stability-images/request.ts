import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Chosen, nearestRatio } from '../../../domain/images/image-size.ts';
import type { ImageFileFormat, ImageRequest } from '../../../domain/images/images.ts';
import { type ImageLimits, PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import { entryOf } from '../../shared/json/record.ts';
import { formRequest, imagePart, maskPart } from '../../shared/media/image-form.ts';
import { lossesOf, type Members, refused } from '../../shared/media/image-request.ts';
import type { FormPart } from '../../shared/request/form-body.ts';
import { seedWithin } from '../../shared/seeds.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';

const RATIOS = ['21:9', '16:9', '3:2', '5:4', '1:1', '4:5', '2:3', '9:16', '9:21'];
const STYLES: ReadonlySet<string> = new Set([
  ...['enhance', 'anime', 'photographic', 'digital-art', 'comic-book', 'fantasy-art', 'line-art', 'analog-film'],
  ...['neon-punk', 'isometric', 'low-poly', 'origami', 'modeling-compound', 'cinematic', '3d-model', 'pixel-art'],
  'tile-texture',
]);
/** How far the result may depart from the input image, for which the API requires a value; a client can set `strength` itself. */
const STRENGTH = 0.7;

/** Limits of all endpoints: texts in characters, images in pixels. */
const LIMITS: ImageLimits = {
  longestPrompt: 10_000,
  longestNegativePrompt: 10_000,
  inputs: { formats: PNG_JPEG_WEBP, leastSide: 64 },
};
const LARGEST_SEED = 2 ** 32 - 2;

interface Endpoint {
  /** The path below `/v2beta/stable-image`. */
  readonly path: string;
  readonly fileFormats: readonly ImageFileFormat[];
  /** The pixel sizes of the ratios for which they are known. */
  readonly sizes: Readonly<Record<string, string>>;
  /** The endpoint starts from an image; a `mask` or a `strength` determines how much of it is kept. */
  readonly edits: 'mask' | 'strength' | null;
  /** The endpoint serves several models. */
  readonly namesModel: boolean;
}

const ALL: readonly ImageFileFormat[] = ['png', 'jpeg', 'webp'];
const SQUARE = { '1:1': '1024x1024' };
const ULTRA: Endpoint = {
  path: '/generate/ultra',
  fileFormats: ALL,
  sizes: SQUARE,
  edits: 'strength',
  namesModel: false,
};
const CORE: Endpoint = { path: '/generate/core', fileFormats: ALL, sizes: {}, edits: null, namesModel: false };
const INPAINT: Endpoint = { path: '/edit/inpaint', fileFormats: ALL, sizes: {}, edits: 'mask', namesModel: false };
const SD3: Endpoint = {
  ...{ path: '/generate/sd3', fileFormats: ['png', 'jpeg'], sizes: SQUARE },
  ...{ edits: 'strength', namesModel: true },
};

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'stable-image-ultra': ULTRA,
  'stable-image-core': CORE,
  'stable-image-inpaint': INPAINT,
};

/** Returns a model's endpoint; all other models belong to the endpoint that has a member for them. */
function endpointOf(model: string): Endpoint {
  return entryOf(ENDPOINTS, model) ?? SD3;
}

export async function encodeRequest(request: ImageRequest, target: WireTarget): Promise<WireRequest | Failure> {
  const endpoint = endpointOf(ruleModelOf(target));
  const hasStyle = request.style !== null && STYLES.has(request.style);
  const lost = lossesOf(request, {
    ...LIMITS,
    mostInputs: endpoint.edits === null ? 0 : 1,
    fileFormats: endpoint.fileFormats,
    carries: {
      ...{ seed: 'exact', negativePrompt: 'exact', style: hasStyle ? 'exact' : NO_STYLE },
      ...(endpoint.edits === 'mask' && { mask: 'exact' }),
    },
  });
  if (lost instanceof Failure) return lost;
  const files = await filesOf(request, endpoint);
  if (files instanceof Failure) return files;
  const { value: ratio, losses } = shapeOf(request, endpoint);
  const seed = seedWithin(request, LARGEST_SEED);
  const hasImage = files.length > 0 && endpoint.edits === 'strength';
  const members: Members = {
    prompt: request.prompt,
    model: endpoint.namesModel ? target.upstreamModel : null,
    mode: endpoint.namesModel ? (hasImage ? 'image-to-image' : 'text-to-image') : null,
    strength: hasImage && !Object.hasOwn(request.options, 'strength') ? STRENGTH : null,
    aspect_ratio: ratio,
    negative_prompt: request.negativePrompt,
    seed: seed.value,
    style_preset: hasStyle ? request.style : null,
    output_format: request.fileFormat,
  };
  const to = { headers: JSON_ANSWER, suffix: endpoint.path };
  return formRequest(members, files, request, [...lost, ...losses, ...seed.losses], to);
}

/** Without this header the answer is the image's bytes, which do not show whether the image was filtered. */
const JSON_ANSWER = { accept: 'application/json' };

const NO_STYLE: Carriage = { verdict: 'dropped', why: 'it is not one of the provider’s styles' };

async function filesOf(
  { kind, images, mask }: ImageRequest,
  { edits }: Endpoint,
): Promise<readonly FormPart[] | Failure> {
  const parts = images.map((image) => imagePart('image', image));
  if (edits !== 'mask') return parts;
  if (kind === 'generation') return refused('image', 'this model only edits images, but none was sent');
  if (mask === null) return parts;
  const part = await maskPart(mask, 'white');
  return part instanceof Failure ? part : [...parts, part];
}

/** Returns the ratio. An edit is as large as its image. */
function shapeOf(request: ImageRequest, { sizes }: Endpoint): Chosen {
  if (request.kind === 'generation') return nearestRatio(request, RATIOS, sizes);
  const why = 'an edit has the same size as its image';
  const losses: Loss[] = [];
  if (request.size !== null && request.size !== 'auto') losses.push({ field: 'size', verdict: 'dropped', why });
  if (request.aspectRatio !== null) losses.push({ field: 'aspect_ratio', verdict: 'dropped', why });
  return { value: null, losses };
}
