import type { ImageInput, PixelSize } from '../images/images.ts';

/*
 * The canonical form of requests for work that takes longer than a request may: videos, music and 3D models. Every wire of such
 * work converts from it. `null` everywhere stands for what the client did not say; the model's own default holds then.
 */

interface AnyGeneration {
  /** The public id of the model. */
  readonly model: string;
  /** The client's name for its end user. */
  readonly user: string | null;
  /** The members of `provider_options`: what only one provider knows, under the provider's own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's own body as a value, with the members that the gateway does not read. */
  readonly body: Readonly<Record<string, unknown>>;
}

export const VIDEO_OPERATIONS = ['text-to-video', 'image-to-video', 'reference-to-video', 'video-to-video'] as const;
export type VideoOperation = (typeof VIDEO_OPERATIONS)[number];

export interface VideoRequest extends AnyGeneration {
  readonly kind: 'video';
  /** What the client said, else what follows from its images and video; the two never contradict each other. */
  readonly operation: VideoOperation;
  /** Empty where images or a video say what happens. */
  readonly prompt: string;
  readonly negativePrompt: string | null;
  /** The image that the video begins with. */
  readonly firstImage: ImageInput | null;
  /** The image that it ends with. */
  readonly lastImage: ImageInput | null;
  /** Images of persons and things that appear in it. */
  readonly referenceImages: readonly ImageInput[];
  /** The video to change or to continue: a public https URL. */
  readonly videoUrl: string | null;
  readonly durationSeconds: number | null;
  /** Two whole numbers, such as `16:9`. */
  readonly aspectRatio: string | null;
  /** In lower case, such as `720p` or `4k`. */
  readonly resolution: string | null;
  /** Never together with `aspectRatio` or `resolution`. */
  readonly size: PixelSize | null;
  /** How many videos; 1 where the client does not say. */
  readonly count: number;
  readonly seed: number | null;
  /** Whether it has sound. */
  readonly audio: boolean | null;
}

export const MUSIC_ACTIONS = ['MUSIC', 'LYRICS'] as const;
export type MusicAction = (typeof MUSIC_ACTIONS)[number];

/** Contract, POST /v1/music/generations. */
export interface MusicRequest extends AnyGeneration {
  readonly kind: 'music';
  /** Style, mood and instruments. */
  readonly prompt: string;
  readonly title: string | null;
  /** Style tags. */
  readonly tags: string | null;
  readonly action: MusicAction;
  /** The version of the music model. */
  readonly mv: string | null;
  readonly continueClipId: string | null;
  readonly continueAtSeconds: number | null;
}

export const MODEL_FORMATS = ['glb', 'gltf', 'fbx', 'obj', 'stl', 'usdz', '3mf'] as const;
export type ModelFormat = (typeof MODEL_FORMATS)[number];

export interface ThreeDRequest extends AnyGeneration {
  readonly kind: '3d';
  /** `null` only where there are images. */
  readonly prompt: string | null;
  readonly negativePrompt: string | null;
  /** Pictures of the thing, from one side or several. */
  readonly images: readonly ImageInput[];
  readonly format: ModelFormat | null;
  /** Whether it has a texture. */
  readonly texture: boolean | null;
  readonly targetPolycount: number | null;
  readonly seed: number | null;
}

export type GenerationRequest = VideoRequest | MusicRequest | ThreeDRequest;
