import type { ImageInput, ImageRequest } from '../../domain/images/images.ts';

/* Limits of providers on texts and images that the gateway's own API accepts. */

/** A kind of image, by the subtype of its media type. */
export type InputFormat = 'png' | 'jpeg' | 'webp' | 'gif';

/** The kinds of images that nearly every provider reads. */
export const PNG_JPEG_WEBP: readonly InputFormat[] = ['png', 'jpeg', 'webp'];

/** A provider's limits. An absent member has no published limit. */
export interface ImageLimits {
  /** The longest `prompt`, in characters. */
  readonly longestPrompt?: number;
  /** The longest `negative_prompt`, in characters. */
  readonly longestNegativePrompt?: number;
  /** Limits on each input image. An image behind a URL that the provider fetches itself is not checked. */
  readonly inputs?: {
    readonly formats?: readonly InputFormat[];
    readonly mostBytes?: number;
    /** The least number of pixels per side. */
    readonly leastSide?: number;
    readonly isSquare?: boolean;
  };
}

/** A client's field that cannot be sent, and the reason. */
export interface PassedLimit {
  readonly field: string;
  readonly why: string;
}

/** Returns the first field that exceeds a limit; `null` if everything is within them. */
export function passedLimit(request: ImageRequest, limits: ImageLimits): PassedLimit | null {
  const { longestPrompt, longestNegativePrompt } = limits;
  return (
    longText('prompt', request.prompt, longestPrompt) ??
    longText('negative_prompt', request.negativePrompt, longestNegativePrompt) ??
    wrongInput(request, limits.inputs ?? {})
  );
}

function longText(field: string, text: string | null, most: number | undefined): PassedLimit | null {
  if (text === null || most === undefined || text.length <= most) return null;
  return { field, why: `it has ${text.length} characters; the limit of the provider of this model is ${most}` };
}

function wrongInput(request: ImageRequest, inputs: NonNullable<ImageLimits['inputs']>): PassedLimit | null {
  for (const [index, image] of request.images.entries()) {
    const why = image.kind === 'url' ? null : whyNotRead(image, inputs);
    if (why !== null) return { field: inputField(request, index), why };
  }
  return null;
}

function whyNotRead(
  image: Exclude<ImageInput, { kind: 'url' }>,
  { formats, mostBytes, leastSide = 0, isSquare = false }: NonNullable<ImageLimits['inputs']>,
): string | null {
  const { mediaType, pixels } = image;
  const format = formats?.find((one) => mediaType === `image/${one}`);
  if (formats !== undefined && format === undefined) {
    const read = formats.map((one) => `\`image/${one}\``).join(', ');
    return `it is \`${mediaType}\`, but the provider of this model reads ${read}`;
  }
  const bytes = image.kind === 'file' ? image.file.size : image.bytes.length;
  if (mostBytes !== undefined && bytes > mostBytes) {
    return `it has ${bytes} bytes; the limit of the provider of this model is ${mostBytes}`;
  }
  if (pixels === undefined) return null;
  const { width, height } = pixels;
  if (Math.min(width, height) < leastSide) {
    return `it has ${width} x ${height} pixels, but the provider of this model requires ${leastSide} on each side`;
  }
  return isSquare && width !== height
    ? `it has ${width} x ${height} pixels, but the provider of this model accepts only square images`
    : null;
}

/** Returns the client's path to one of the input images. */
function inputField(request: ImageRequest, index: number): string {
  const field = imagesField(request);
  const isList = field === 'image_urls' || (field === 'image' && request.images.length > 1);
  return isList ? `${field}[${index}]` : field;
}

/** Returns the client's name for the input images. */
export function imagesField({ endpoint, body }: Pick<ImageRequest, 'endpoint' | 'body'>): string {
  if (endpoint === 'edits') return 'image';
  return Object.hasOwn(body, 'image_urls') && !Object.hasOwn(body, 'image_url') ? 'image_urls' : 'image_url';
}
