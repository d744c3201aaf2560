import type { Carriage } from '../../../domain/exchange/loss.ts';
import {
  type Chosen,
  nearestSize,
  type PixelBounds,
  pixelsFor,
  pixelsWithin,
  sizeText,
} from '../../../domain/images/image-size.ts';
import type {
  ImageFileFormat,
  ImageQuality,
  ImageRequest,
  ImageShape,
  PixelSize,
} from '../../../domain/images/images.ts';
import { PNG_JPEG_WEBP } from '../../shared/image-limits.ts';
import type { ImageRules } from '../../shared/media/image-request.ts';
import type { OwnMembers, TargetModel, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';

/* The models behind OpenAI's image API, which differ in what they accept. */

/** The rules of one family of models; families differ although they share an API. */
export interface ImageFamily extends ImageRules {
  /** The most images in one request. */
  readonly mostImages: number;
  /** The supported sizes, listed or by their bounds; `unknown` if undocumented. */
  readonly sizes: readonly string[] | PixelBounds | 'unknown';
  /** Whether the model chooses the size if told `auto`; others choose it if told nothing. */
  readonly hasAutoSize: boolean;
  /**
   * The model's names for qualities that differ; `null` for a quality that it does not have. An absent quality is sent as it is.
   */
  readonly qualities: Readonly<Partial<Record<ImageQuality, string | null>>>;
  /** Whether the model accepts the member that says how to return images; those that do not refuse it (recorded). */
  readonly hasResponseFormat: boolean;
  readonly streams: boolean;
  /** The values of `style`; absent if any, or none (`carries`), is accepted. */
  readonly styles?: readonly string[];
  /** The file formats for which `output_compression` is accepted; absent if undocumented. */
  readonly compresses?: readonly ImageFileFormat[];
}

const UNCOMPRESSED = 100;
const NO_COMPRESSION: Carriage = { verdict: 'dropped', why: 'this format is lossless' };

const NO_STYLE: Carriage = { verdict: 'dropped', why: 'the model does not have this style' };

/**
 * Returns what the family carries of this request: compression applies only to some file formats, and only known styles are
 * accepted.
 */
export function carriesOf(request: ImageRequest, family: ImageFamily): ImageRules['carries'] {
  const isStyle = request.style === null || (family.styles?.includes(request.style) ?? true);
  const carries = compressionOf(request, family);
  return isStyle ? carries : { ...carries, style: NO_STYLE };
}

function compressionOf({ compression, fileFormat }: ImageRequest, family: ImageFamily): ImageRules['carries'] {
  const { carries, compresses } = family;
  if (compression === null || compression === UNCOMPRESSED || carries.compression !== 'exact') return carries;
  const isTaken = compresses === undefined || compresses.includes(fileFormat ?? 'png');
  return isTaken ? carries : { ...carries, compression: NO_COMPRESSION };
}

const SQUARE_AND_3_BY_2 = ['1024x1024', '1536x1024', '1024x1536'];

const GPT_CARRIES: ImageRules['carries'] = {
  mask: 'exact',
  quality: 'exact',
  background: 'exact',
  moderation: 'exact',
  inputFidelity: 'exact',
  compression: 'exact',
  partialImages: 'exact',
  user: 'exact',
};

function withoutFidelity({ inputFidelity: _fidelity, ...others }: ImageRules['carries']): ImageRules['carries'] {
  return others;
}

const GPT_IMAGE: ImageFamily = {
  mostImages: 10,
  mostInputs: 16,
  fileFormats: ['png', 'jpeg', 'webp'],
  carries: GPT_CARRIES,
  sizes: SQUARE_AND_3_BY_2,
  hasAutoSize: true,
  qualities: { standard: 'medium', hd: 'high', xhigh: 'high', max: 'high' },
  hasResponseFormat: false,
  streams: true,
  compresses: ['jpeg', 'webp'],
  inputs: { formats: PNG_JPEG_WEBP },
};

/** OpenAI's document, `InputFidelity`: "unsupported for `gpt-image-1-mini`"; newer versions add "For `gpt-image-2`, omit". */
const GPT_IMAGE_MINI: ImageFamily = { ...GPT_IMAGE, carries: withoutFidelity(GPT_CARRIES) };

/** Both sides of a size must be multiples of this (recorded: "Width and height must both be divisible by 16"). */
const STEP = 16;

/** OpenAI's page "Image generation", "Size and quality options". */
const GPT_IMAGE_2: ImageFamily = {
  ...GPT_IMAGE_MINI,
  sizes: { step: STEP, longestSide: 3_840, widest: 3, leastArea: 655_360, mostArea: 8_294_400 },
};

/** From 2.5 on there are qualities above `high`. */
const GPT_IMAGE_2_5: ImageFamily = { ...GPT_IMAGE_2, qualities: { standard: 'medium', hd: 'high' } };

const GPT_IMAGE_2_6: ImageFamily = { ...GPT_IMAGE_2_5, fileFormats: ['png', 'jpeg', 'webp', 'gif', 'svg'] };

const ONLY_GPT: Carriage = { verdict: 'dropped', why: 'only OpenAI’s newer models support it' };

const DALL_E: Omit<ImageFamily, 'sizes' | 'mostImages'> = {
  mostInputs: 1,
  fileFormats: ['png'],
  carries: { mask: 'exact', compression: ONLY_GPT, partialImages: ONLY_GPT, moderation: ONLY_GPT, user: 'exact' },
  hasAutoSize: false,
  qualities: {},
  hasResponseFormat: true,
  streams: false,
};

const DALL_E_2: ImageFamily = {
  ...DALL_E,
  mostImages: 10,
  sizes: ['256x256', '512x512', '1024x1024'],
  longestPrompt: 1_000,
  inputs: { formats: ['png'], mostBytes: 4 * 1024 * 1024 - 1, isSquare: true },
};

const DALL_E_3: ImageFamily = {
  ...DALL_E,
  mostImages: 1,
  mostInputs: 0,
  carries: { ...DALL_E.carries, quality: 'exact', style: 'exact' },
  sizes: ['1024x1024', '1792x1024', '1024x1792'],
  qualities: { low: 'standard', medium: 'standard', high: 'hd', xhigh: 'hd', max: 'hd' },
  styles: ['vivid', 'natural'],
  longestPrompt: 4_000,
};

/** Z.ai's model (docs.z.ai, "Generate Image"), which makes one image per request. */
const GLM: ImageFamily = {
  mostImages: 1,
  mostInputs: 0,
  fileFormats: ['png'],
  carries: { quality: 'exact', user: 'exact' },
  sizes: ['1280x1280', '1568x1056', '1056x1568', '1472x1088', '1088x1472', '1728x960', '960x1728'],
  hasAutoSize: false,
  qualities: { auto: null, low: 'standard', medium: 'standard', high: 'hd', xhigh: 'hd', max: 'hd' },
  hasResponseFormat: false,
  streams: false,
};

const COGVIEW: ImageFamily = {
  ...GLM,
  sizes: ['1024x1024', '768x1344', '864x1152', '1344x768', '1152x864', '1440x720', '720x1440'],
};

/** A server or a deployment with a custom name: its restrictions are unknown, so everything is sent. */
const UNKNOWN: ImageFamily = {
  mostImages: 10,
  mostInputs: 16,
  fileFormats: ['png', 'jpeg', 'webp', 'gif', 'svg'],
  carries: { ...GPT_CARRIES, negativePrompt: 'exact', style: 'exact', seed: 'exact' },
  sizes: 'unknown',
  hasAutoSize: true,
  qualities: {},
  hasResponseFormat: true,
  streams: true,
};

const FAMILIES: readonly (readonly [RegExp, ImageFamily])[] = [
  [/(?:^|[/:])gpt-image-(?:2\.[6-9]|[3-9])/, GPT_IMAGE_2_6],
  [/(?:^|[/:])gpt-image-2\.5/, GPT_IMAGE_2_5],
  [/(?:^|[/:])gpt-image-2/, GPT_IMAGE_2],
  [/(?:^|[/:])gpt-image-1-mini/, GPT_IMAGE_MINI],
  [/(?:^|[/:])(?:gpt-image|chatgpt-image)/, GPT_IMAGE],
  [/(?:^|[/:])dall-e-2/, DALL_E_2],
  [/(?:^|[/:])dall-e-3/, DALL_E_3],
  [/^glm-image/, GLM],
  [/^cogview-/, COGVIEW],
];

/** Returns how many images one request to the model can produce. */
export function mostImages(upstreamModel: string): number {
  return familyOf(upstreamModel).mostImages;
}

export function familyOf(upstreamModel: string): ImageFamily {
  return FAMILIES.find(([pattern]) => pattern.test(upstreamModel))?.[1] ?? UNKNOWN;
}

/** Returns the provider's names. A model of a known family is told how to return images if the family supports that. */
export function membersFor({ sizes }: ImageFamily, { members = {} }: WireTarget): OwnMembers {
  if (sizes === 'unknown') return members;
  const { response_format: _format, ...others } = members;
  return others;
}

/** Returns the size to request, in the model's notation; `null` if the client did not request one. */
export function sizeFor(request: ImageRequest, { sizes, hasAutoSize }: ImageFamily): Chosen {
  const { size, aspectRatio } = request;
  if (aspectRatio === null && (size === null || size === 'auto')) {
    return { value: hasAutoSize ? size : null, losses: [] };
  }
  if (isList(sizes)) return nearestSize(request, sizes);
  const isSized = size !== null && size !== 'auto';
  const { pixels, losses } = pixelsFor(request, sizes === 'unknown' && isSized ? 1 : STEP);
  if (sizes === 'unknown' || pixels === null) return { value: sizeText({ ...pixels }), losses };
  return boundedSize(
    { wanted: isSized ? size : pixels, rounded: pixels, losses },
    sizes,
    isSized ? 'size' : 'aspect_ratio',
  );
}

function isList(sizes: ImageFamily['sizes']): sizes is readonly string[] {
  return Array.isArray(sizes);
}

/** Returns the rounded size if it is within the bounds, otherwise the nearest size that is. */
function boundedSize(
  { wanted, rounded, losses }: { wanted: PixelSize; rounded: PixelSize; losses: Chosen['losses'] },
  bounds: PixelBounds,
  field: string,
): Chosen {
  const { width, height } = pixelsWithin(wanted, bounds);
  const value = `${width}x${height}`;
  if (width === rounded.width && height === rounded.height) return { value, losses };
  const others = losses.filter((loss) => loss.field !== field);
  const why = `the model makes from ${bounds.leastArea} to ${bounds.mostArea} pixels in shapes up to ${bounds.widest}:1: ${value}`;
  return { value, losses: [...others, { field, verdict: 'approximated', why }] };
}

/** Implements `ImageWire.asks`. */
export function asks(request: ImageRequest, target: TargetModel): ImageShape {
  const family = familyOf(ruleModelOf(target));
  return { size: sizeFor(request, family).value, quality: qualityFor(request, family).value };
}

/** Returns the model's name for the quality; `null` if the client gave none, or the model has no such member. */
export function qualityFor({ quality }: ImageRequest, { qualities, carries }: ImageFamily): Chosen {
  if (quality === null || carries.quality !== 'exact') return { value: null, losses: [] };
  const own = qualities[quality];
  const value = own === undefined ? quality : own;
  if (value === quality || value === null) return { value, losses: [] };
  return { value, losses: [{ field: 'quality', verdict: 'approximated', why: `${quality} becomes ${value}` }] };
}
