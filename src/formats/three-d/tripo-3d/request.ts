import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { jsonRequest, type Members, refused } from '../../shared/media/image-request.ts';
import { LARGEST_INT32, seedWithin } from '../../shared/seeds.ts';
import { threeDLosses } from '../../shared/tasks/generation-request.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';

export const PRICED_OPTIONS = ['texture_quality', 'geometry_quality', 'quad'] as const;

/**
 * Implements `TaskWire.asks`. A price names the starting point, the texture, and anything else that adds to the cost, in this
 * order: `text/textured`, `image/detailed/hd-geometry/quad`.
 */
export function asks(request: ThreeDRequest): AskedWork {
  const { images, options } = request;
  const traits = [images.length === 0 ? 'text' : 'image', textureOf(request)];
  if (options.geometry_quality === 'detailed') traits.push('hd-geometry');
  if (options.quad === true) traits.push('quad');
  return { count: 1, seconds: null, resolution: null, traits };
}

/** Returns the texture; the default is a standard one. */
function textureOf({ texture, options }: ThreeDRequest): string {
  if (texture === false) return 'untextured';
  const { texture_quality: quality } = options;
  return typeof quality !== 'string' || quality === 'standard' ? 'textured' : quality;
}

export function encodeRequest(
  request: ThreeDRequest,
  { upstreamModel }: WireTarget,
  dialect: Dialect,
): WireRequest | Failure {
  const isFromText = request.images.length === 0;
  const refusal = optionsRefused(request) ?? formatRefused(request);
  if (refusal !== null) return refusal;
  const losses = threeDLosses(request, {
    ...{ images: 'exact', severalImages: 'exact', format: 'exact', texture: 'exact', seed: 'exact' },
    targetPolycount: 'exact',
    ...(isFromText && { prompt: 'exact', negativePrompt: 'exact' }),
  });
  if (losses instanceof Failure) return losses;
  const source = sourceOf(request);
  if (source instanceof Failure) return source;
  const seed = seedWithin(request, LARGEST_INT32);
  const members: Members = {
    ...dialect.members(source, upstreamModel.replace(/^tripo[-/]/i, '')),
    negative_prompt: isFromText ? request.negativePrompt || null : null,
    texture: request.texture,
    // A PBR texture is made by default, whatever `texture` says.
    pbr: request.texture === false ? false : null,
    face_limit: request.targetPolycount,
    ...seedsOf(request, seed.value),
  };
  return jsonRequest(members, request, [...losses, ...viewLosses(request), ...seed.losses], {
    suffix: dialect.submitPath(source),
  });
}

/** Returns the seeds of the image that a text is first turned into, of the shape, and of the texture. */
function seedsOf({ images, texture }: ThreeDRequest, seed: number | null): Members {
  if (seed === null) return {};
  return {
    ...(images.length === 0 && { image_seed: seed }),
    model_seed: seed,
    ...(texture !== false && { texture_seed: seed }),
  };
}

/** Refuses options that affect the price and do not have the type as which `asks` reads them. */
function optionsRefused({ texture, options }: ThreeDRequest): Failure | null {
  for (const name of PRICED_OPTIONS) {
    const value = options[name];
    if (value === undefined) continue;
    const isRight = name === 'quad' ? typeof value === 'boolean' : typeof value === 'string' && /^[a-z]+$/.test(value);
    if (isRight) continue;
    const param = `provider_options.${name}`;
    const type = name === 'quad' ? 'true or false' : 'a word such as "standard" or "detailed"';
    return new Failure('invalid_value', { message: `\`${param}\` must be ${type}.`, param });
  }
  if (texture !== false || options.texture_quality === undefined) return null;
  return refused('provider_options.texture_quality', 'the request asks for no texture');
}

/** Refuses formats other than GLB, and FBX for quads, which GLB cannot hold; any other format would be a separate job. */
function formatRefused({ format, options }: ThreeDRequest): Failure | null {
  const isQuad = options.quad === true;
  if (format === null || (format === 'fbx' && isQuad) || (format === 'glb' && !isQuad)) return null;
  if (format === 'glb') return refused('format', 'with `provider_options.quad` the provider of this model makes `fbx`');
  const why =
    format === 'fbx'
      ? 'the provider of this model makes `fbx` of quads only, with `"quad": true` in `provider_options`'
      : 'the provider of this model makes `glb`, or `fbx` of quads, and converts models in another step';
  return refused('format', why);
}

function sourceOf({ images, prompt }: ThreeDRequest): Source | Failure {
  if (images.length === 0) return { kind: 'text', prompt: prompt ?? '' };
  const field = images.length === 1 ? 'image_url' : 'image_urls';
  if (images.length > MOST_IMAGES) {
    return refused(field, `the provider of this model accepts at most ${MOST_IMAGES} images`);
  }
  const urls: string[] = [];
  for (const image of images) {
    if (image.kind !== 'url') return refused(field, 'the provider of this model accepts only images at public URLs');
    urls.push(image.url);
  }
  return { kind: 'images', urls };
}

function viewLosses({ images }: ThreeDRequest): readonly Loss[] {
  if (images.length < 2) return [];
  const why = 'the provider reads the images as front, left, back and right view, in this order';
  return [{ field: 'image_urls', verdict: 'approximated', why }];
}

// ---- the two versions of the API

/** The starting point of a model. */
type Source =
  | { readonly kind: 'text'; readonly prompt: string }
  /** One image, or two to four: front, left, back, right. */
  | { readonly kind: 'images'; readonly urls: readonly string[] };

/** The differences between the two versions of Tripo's API: the paths, and the members for the starting point. */
export interface Dialect {
  /** Returns the path for submitting a job. */
  submitPath(source: Source): string;
  /** The path for polling jobs; the id follows. */
  readonly jobPath: string;
  members(source: Source, model: string): Members;
}

const VIEWS = ['front', 'left', 'back', 'right'] as const;
/** The most input images. */
const MOST_IMAGES = VIEWS.length;

type Kind = 'text_to_model' | 'image_to_model' | 'multiview_to_model';

function kindOf(source: Source): Kind {
  if (source.kind === 'text') return 'text_to_model';
  return source.urls.length === 1 ? 'image_to_model' : 'multiview_to_model';
}

/** `POST /generation/{kind}`, `GET /tasks/{id}`; images are plain URLs. */
export const V3: Dialect = {
  submitPath: (source) => `/generation/${kindOf(source).replaceAll('_', '-')}`,
  jobPath: '/tasks',
  members(source, model) {
    if (source.kind === 'text') return { prompt: source.prompt, model };
    const [first] = source.urls;
    if (source.urls.length === 1) return { input: first, model };
    return { inputs: source.urls.map((url, index) => ({ [VIEWS[index] ?? 'front']: url })), model };
  },
};

/** `POST /task` with a `type`, `GET /task/{id}`; images are objects, and multi-view requests always have four. */
export const V2: Dialect = {
  submitPath: () => '/task',
  jobPath: '/task',
  members(source, model) {
    const type = kindOf(source);
    if (source.kind === 'text') return { type, prompt: source.prompt, model_version: model };
    const files = source.urls.map((url) => ({ type: fileType(url), url }));
    if (files.length === 1) return { type, file: files[0], model_version: model };
    return { type, files: VIEWS.map((_, index) => files[index] ?? {}), model_version: model };
  },
};

/** Returns the file type, which the API requires but does not check. */
function fileType(url: string): string {
  const ending = /\.(png|webp|jpe?g)$/i.exec(url.replace(/[?#].*$/s, ''))?.[1]?.toLowerCase();
  return ending === 'png' || ending === 'webp' ? ending : 'jpg';
}
