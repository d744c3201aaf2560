import type { UploadedFile } from '../media/uploaded-file.ts';
/* The canonical form of requests for images and of their answers. Every wire of images converts from it and to it. */

/** An image that the client gives. */
export type ImageInput =
  | ({ readonly kind: 'file'; readonly file: UploadedFile } & ReadInput)
  /** Of a `data:` URI. */
  | ({ readonly kind: 'inline'; readonly bytes: Uint8Array<ArrayBuffer> } & ReadInput)
  /** A public https URL. It is fetched by the gateway (and is `inline` then) for a wire that takes no URLs. */
  | { readonly kind: 'url'; readonly url: string };

/** What the bytes of an image say, whatever it was labelled as. */
interface ReadInput {
  readonly mediaType: string;
  /** Absent where nobody has read it. */
  readonly pixels?: PixelSize;
}

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Words of all providers; the catalog says which ones a model knows. */
export const IMAGE_QUALITIES = ['standard', 'hd', 'low', 'medium', 'high', 'xhigh', 'max', 'auto'] as const;
export type ImageQuality = (typeof IMAGE_QUALITIES)[number];
export const IMAGE_FILE_FORMATS = ['png', 'jpeg', 'webp', 'gif', 'svg'] as const;
export type ImageFileFormat = (typeof IMAGE_FILE_FORMATS)[number];

/** What the price of an image depends on, in the words of the upstream; `null` where it decides itself. */
export interface ImageShape {
  /** Pixels (`1536x1024`) or a ratio (`16:9`). */
  readonly size: string | null;
  readonly quality: string | null;
}

/** `null` everywhere stands for what the client did not say; the model's own default holds then. */
export interface ImageRequest {
  /** The public id of the model. */
  readonly model: string;
  /** An edit has at least one image. */
  readonly kind: 'generation' | 'edit';
  /** The endpoint to which the client sent it: a generation with `operation: image-to-image` is an edit. */
  readonly endpoint: 'generations' | 'edits';
  readonly prompt: string;
  /** The images to begin with. Empty for a generation. */
  readonly images: readonly ImageInput[];
  /** As large as the first image; its fully transparent areas are edited. */
  readonly mask: ImageInput | null;
  readonly negativePrompt: string | null;
  /** 1 to 10. */
  readonly count: number;
  readonly size: PixelSize | 'auto' | null;
  /** Such as `16:9`: two whole numbers. */
  readonly aspectRatio: string | null;
  readonly quality: ImageQuality | null;
  readonly style: string | null;
  readonly background: 'transparent' | 'opaque' | 'auto' | null;
  readonly moderation: 'low' | 'auto' | null;
  readonly inputFidelity: 'high' | 'low' | null;
  readonly seed: number | null;
  /** How the client wants the images; whichever way the upstream gives them. */
  readonly responseFormat: 'url' | 'b64_json' | null;
  readonly fileFormat: ImageFileFormat | null;
  /** In percent. */
  readonly compression: number | null;
  readonly stream: boolean;
  readonly partialImages: number | null;
  /** The client's name for its end user. */
  readonly user: string | null;
  /** The members of `provider_options`: what only one provider knows, under the provider's own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's own body: for an upstream of the same format. `null` for a form. */
  readonly bytes: Uint8Array | null;
  /** The same as a value, with the members that only some upstreams know; of a form its text parts. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** One image as an upstream has made it: it has `url` or `base64`. */
export interface MadeImage {
  /** An http(s) URL at the upstream, which may expire, or a `data:` URI. */
  readonly url?: string;
  /** Base64 text, standard alphabet. */
  readonly base64?: string;
  /** `null` where the upstream does not say it. */
  readonly mediaType: string | null;
  /** The prompt that the model has really used. */
  readonly revisedPrompt: string | null;
}

/** Tokens in parts that do not overlap. */
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
  /** `null` where the upstream counts no tokens. */
  readonly tokens: ImageTokens | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** What was really made, where the upstream says it: `1024x1024`. */
  readonly size: string | null;
  readonly quality: string | null;
  readonly background: string | null;
  readonly fileFormat: string | null;
  /** Further members of an answer in OpenAI's format, for the client; they stand in place of what is made of the others. */
  readonly details?: Readonly<Record<string, unknown>>;
}
