import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageUrl, jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { threeDLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';

/** The path of each endpoint. */
export const PATHS = {
  text: '/openapi/v2/text-to-3d',
  image: '/openapi/v1/image-to-3d',
  images: '/openapi/v1/multi-image-to-3d',
} as const;

/** Returns the endpoint for this number of input images. */
export function endpointOf(images: number): keyof typeof PATHS {
  if (images === 0) return 'text';
  return images === 1 ? 'image' : 'images';
}

const MOST_IMAGES = 4;
const TYPES = new Set(['image/png', 'image/jpeg', 'image/jpg']);
/** All formats that Meshy produces, in its documented order, except that the most widely supported one comes first. */
const FORMATS = new Set(['glb', 'fbx', 'obj', 'usdz', 'stl', '3mf']);

/** The known values of each option; others are refused, because their price is unknown. */
const PRICED: Readonly<Record<string, readonly unknown[]>> = {
  model_type: ['standard', 'smart-topology', 'lowpoly'],
  should_texture: [true, false],
  texture_resolution: ['2k', '4k', '8k'],
  hd_texture: [true, false],
  ultra_mode: [true, false],
  geometry_resolution: ['standard', '2k', '4k'],
};
export const PRICED_OPTIONS: readonly string[] = Object.keys(PRICED);

/**
 * Implements `TaskWire.asks`. A price names the starting point, the texture, and anything else that affects the cost, in this
 * order: `text`, `image/textured`, `image/8k/smart-topology`, `image/textured/ultra`. 2k and 4k textures cost the same.
 */
export function asks(request: ThreeDRequest, { upstreamModel }: WireTarget): AskedWork {
  const { options } = request;
  const traits: string[] = [request.images.length === 0 ? 'text' : 'image'];
  if (request.images.length > 0) {
    const isTextured = wantsTexture(request);
    traits.push(!isTextured ? 'untextured' : options.texture_resolution === '8k' ? '8k' : 'textured');
  }
  const type = modelType(request, upstreamModel);
  if (type !== null && type !== 'standard') traits.push(type);
  const { geometry_resolution: geometry = 'standard' } = options;
  if (options.ultra_mode === true || geometry !== 'standard') traits.push('ultra');
  return { count: 1, seconds: null, resolution: null, traits };
}

/** Returns whether the model gets a texture, which is the provider's default. */
function wantsTexture({ texture, options }: ThreeDRequest): boolean {
  return (texture ?? options.should_texture) !== false;
}

/** Returns the model type, which low-poly models also have to be requested with. */
function modelType({ options }: ThreeDRequest, upstreamModel: string): string | null {
  const { model_type: own } = options;
  if (typeof own === 'string') return own;
  return /^meshy-t\d/i.test(upstreamModel) ? 'smart-topology' : null;
}

export async function encodeRequest(
  request: ThreeDRequest,
  { upstreamModel }: WireTarget,
): Promise<WireRequest | Failure> {
  const refusal = optionsRefused(request) ?? formatRefused(request) ?? imagesRefused(request);
  if (refusal !== null) return refusal;
  const isFromText = request.images.length === 0;
  const lost = threeDLosses(request, {
    ...{ images: 'exact', severalImages: 'exact', format: 'exact', targetPolycount: 'exact' },
    prompt: isFromText ? 'exact' : promptCarriage(request),
    texture: isFromText && request.texture === true ? NO_TEXTURE : 'exact',
  });
  if (lost instanceof Failure) return lost;
  const polygons = polygonsOf(request, upstreamModel);
  const members: Members = {
    ...(await sourceOf(request)),
    ai_model: upstreamModel,
    model_type: Object.hasOwn(request.options, 'model_type') ? null : modelType(request, upstreamModel),
    ...polygons.members,
    target_formats: request.format === null ? null : [request.format],
  };
  return jsonRequest(members, request, [...lost, ...polygons.losses], {
    suffix: PATHS[endpointOf(request.images.length)],
  });
}

/** A texture would be a second job, which can be submitted only after this one is done. */
const NO_TEXTURE = {
  verdict: 'refused',
  why: 'the provider of this model adds a texture in one step only for models from an image',
} as const satisfies Carriage;

function promptCarriage(request: ThreeDRequest): Carriage {
  if (takesTexturePrompt(request)) {
    return { verdict: 'approximated', why: 'with images the provider accepts text only for the texture' };
  }
  return { verdict: 'dropped', why: 'with images the provider accepts one text, for the texture only' };
}

function takesTexturePrompt(request: ThreeDRequest): boolean {
  return wantsTexture(request) && !Object.hasOwn(request.options, 'texture_prompt');
}

async function sourceOf(request: ThreeDRequest): Promise<Members> {
  const { images, prompt, texture } = request;
  const [first] = images;
  if (first === undefined) return { mode: 'preview', prompt };
  const texturing = {
    should_texture: texture,
    texture_prompt: takesTexturePrompt(request) ? prompt || null : null,
  };
  if (images.length === 1) return { image_url: await imageUrl(first), ...texturing };
  return { image_urls: await Promise.all(images.map(imageUrl)), ...texturing };
}

interface Polygons {
  readonly members: Members;
  readonly losses: readonly Loss[];
}

/** Returns the polygon members. Meshy has a polygon target only if it rebuilds the mesh, except for its low-poly models. */
function polygonsOf(request: ThreeDRequest, upstreamModel: string): Polygons {
  const { targetPolycount: asked, options } = request;
  if (asked === null) return { members: {}, losses: [] };
  const isLow = modelType(request, upstreamModel) === 'smart-topology';
  const count = Math.min(isLow ? 15_000 : 300_000, Math.max(100, asked));
  const why = `the model makes 100 to ${isLow ? '15,000' : '300,000'} polygons; ${count} is sent`;
  const losses: Loss[] = count === asked ? [] : [{ field: 'target_polycount', verdict: 'approximated', why }];
  const remesh = isLow || Object.hasOwn(options, 'should_remesh') ? {} : { should_remesh: true };
  return { members: { ...remesh, target_polycount: count }, losses };
}

function optionsRefused({ options, images, texture }: ThreeDRequest): Failure | null {
  for (const [name, values] of Object.entries(PRICED)) {
    const value = options[name];
    if (value === undefined) continue;
    const param = `provider_options.${name}`;
    if (!values.includes(value)) {
      const message = `\`${param}\` must be ${values.map((one) => JSON.stringify(one)).join(' or ')}.`;
      return new Failure('invalid_value', { message, param });
    }
    const isOfTexture = name === 'texture_resolution' || name === 'hd_texture' || name === 'should_texture';
    if (!isOfTexture || value === false) continue;
    if (images.length === 0) return refused(param, NO_TEXTURE.why);
    if (texture === false) return refused(param, 'the request asks for no texture');
  }
  return null;
}

function formatRefused({ format, options }: ThreeDRequest): Failure | null {
  if (format === null) return null;
  if (!FORMATS.has(format)) {
    return refused('format', `the provider of this model makes ${[...FORMATS].map((one) => `\`${one}\``).join(', ')}`);
  }
  return options.target_formats === undefined
    ? null
    : refused('provider_options.target_formats', '`format` specifies it');
}

function imagesRefused({ images }: ThreeDRequest): Failure | null {
  const field = images.length === 1 ? 'image_url' : 'image_urls';
  if (images.length > MOST_IMAGES) {
    return refused(field, `the provider of this model accepts at most ${MOST_IMAGES} images`);
  }
  const isStrange = images.some((image) => image.kind !== 'url' && !TYPES.has(image.mediaType.toLowerCase()));
  return isStrange ? refused(field, 'the provider of this model accepts only PNG and JPEG') : null;
}
