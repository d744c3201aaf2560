import type { UploadedFile } from '../media/uploaded-file.ts';
import type { Quantity } from '../money/quantity.ts';

/* The canonical form of image requests and answers, to and from which every image wire converts. */

/** An image that the client supplies. */
export type ImageInput =
  | ({ readonly kind: 'file'; readonly file: UploadedFile } & ReadInput)
  /** From a `data:` URI. */
  | ({ readonly kind: 'inline'; readonly bytes: Uint8Array<ArrayBuffer> } & ReadInput)
  /** A public https URL. The gateway fetches it (and it becomes `inline`) for a wire that takes no URLs. */
  | { readonly kind: 'url'; readonly url: string };

/** Facts from the image's bytes, whatever its label. */
interface ReadInput {
  readonly mediaType: string;
  /** Absent if it has not been measured. */
  readonly pixels?: PixelSize;
}

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** The qualities of all providers; the catalog lists those of each model. */
export const IMAGE_QUALITIES = ['standard', 'hd', 'low', 'medium', 'high', 'xhigh', 'max', 'auto'] as const;
export type ImageQuality = (typeof IMAGE_QUALITIES)[number];
export const IMAGE_FILE_FORMATS = ['png', 'jpeg', 'webp', 'gif', 'svg'] as const;
export type ImageFileFormat = (typeof IMAGE_FILE_FORMATS)[number];

/** The properties on which an image's price depends, in the upstream's terms; `null` if the upstream decides. */
export interface ImageShape {
  /** Pixels (`1536x1024`) or a ratio (`16:9`). */
  readonly size: string | null;
  readonly quality: string | null;
}

/** `null` stands for a value that the client did not give; the model's own default applies. */
export interface ImageRequest {
  /** The public id of the model. */
  readonly model: string;
  /** An edit has at least one image. */
  readonly kind: 'generation' | 'edit';
  /** The endpoint that received the request: a generation with `operation: image-to-image` is an edit. */
  readonly endpoint: 'generations' | 'edits';
  readonly prompt: string;
  /** The input images. Empty for a generation. */
  readonly images: readonly ImageInput[];
  /** Has the size of the first image; its fully transparent areas are edited. */
  readonly mask: ImageInput | null;
  readonly negativePrompt: string | null;
  /** From 1 to 10. */
  readonly count: number;
  readonly size: PixelSize | 'auto' | null;
  /** Two integers, such as `16:9`. */
  readonly aspectRatio: string | null;
  readonly quality: ImageQuality | null;
  readonly style: string | null;
  readonly background: 'transparent' | 'opaque' | 'auto' | null;
  readonly moderation: 'low' | 'auto' | null;
  readonly inputFidelity: 'high' | 'low' | null;
  readonly seed: number | null;
  /** How the client wants the images, independent of how the upstream delivers them. */
  readonly responseFormat: 'url' | 'b64_json' | null;
  readonly fileFormat: ImageFileFormat | null;
  /** In percent. */
  readonly compression: number | null;
  readonly stream: boolean;
  readonly partialImages: number | null;
  /** The client's name for its end user. */
  readonly user: string | null;
  /** The members of `provider_options`: a provider's specific parameters under its own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's own body, for an upstream of the same format. `null` for a form. */
  readonly bytes: Uint8Array | null;
  /** The same as a value, including members that only some upstreams know; for a form, its text parts. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** An image that an upstream has made, with either `url` or `base64`. */
export interface MadeImage {
  /** An http(s) URL at the upstream, which may expire, or a `data:` URI. */
  readonly url?: string;
  /** Base64 text in the standard alphabet. */
  readonly base64?: string;
  /** `null` if the upstream does not state it. */
  readonly mediaType: string | null;
  /** The prompt that the model actually used. */
  readonly revisedPrompt: string | null;
}

/** Tokens in disjoint parts. */
export interface ImageTokens {
  readonly textInput: number;
  readonly imageInput: number;
  readonly textOutput: number;
  readonly imageOutput: number;
}

export interface ImageAnswer {
  /** At least one. */
  readonly images: readonly MadeImage[];
  /** Seconds since 1970. */
  readonly created: number | null;
  /** `null` if the upstream counts no tokens. */
  readonly tokens: ImageTokens | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** The actual size, if the upstream states it: `1024x1024`. */
  readonly size: string | null;
  readonly quality: string | null;
  readonly background: string | null;
  readonly fileFormat: string | null;
  /**
   * Further members of an answer in OpenAI's format, for the client; they take precedence over those derived from the other
   * fields.
   */
  readonly details?: Readonly<Record<string, unknown>>;
}

/* The quantities for which an image is charged: its tokens, or its shape. */

/** OpenAI's page "Image generation": the tokens of an image of 1024 x 1024 pixels; other sizes have 1.5 times as many. */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = { low: 272, medium: 1_056, high: 4_160 };

/** Returns the tokens of one image. An unknown quality counts as `high`. */
export function imageOutputTokens({ size, quality }: ImageShape): number {
  const [width, height] = size?.split(/[x:]/) ?? [];
  return Math.ceil((TOKENS_BY_QUALITY[quality ?? ''] ?? 4_160) * (width === height ? 1 : 1.5));
}

export function imageTokenQuantities(tokens: ImageTokens | null): readonly Quantity[] {
  if (tokens === null) return [];
  return [
    { unit: 'input_token', amount: tokens.textInput },
    { unit: 'image_input_token', amount: tokens.imageInput },
    { unit: 'output_token', amount: tokens.textOutput },
    { unit: 'image_output_token', amount: tokens.imageOutput },
  ];
}

/**
 * Returns the variant by which an image is priced: `1024x1024/high`, or a ratio in place of the size; `null` if neither is known.
 * Few price lists have a price for the quality alone, so without a size the general price applies, otherwise the highest.
 */
export function variantOf({ size, quality }: ImageShape): string | null {
  if (size === null) return quality;
  return quality === null ? size : `${size}/${quality}`;
}
