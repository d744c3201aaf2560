import type { ImageInput, PixelSize } from '../images/images.ts';

/*
 * The canonical form of requests for work that outlives a request: videos, music and 3D models, from which every such wire
 * converts. `null` stands for a value that the client did not give; the model's own default applies.
 */

interface AnyGeneration {
  /** The public id of the model. */
  readonly model: string;
  /** The client's name for its end user. */
  readonly user: string | null;
  /** The members of `provider_options`: a provider's specific parameters under its own names. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The client's own body as a value, including members that the gateway does not read. */
  readonly body: Readonly<Record<string, unknown>>;
}

export const VIDEO_OPERATIONS = ['text-to-video', 'image-to-video', 'reference-to-video', 'video-to-video'] as const;
export type VideoOperation = (typeof VIDEO_OPERATIONS)[number];

export interface VideoRequest extends AnyGeneration {
  readonly kind: 'video';
  /** The operation that the client stated, otherwise derived from its images and video; the two never contradict each other. */
  readonly operation: VideoOperation;
  /** May be empty if images or a video determine the content. */
  readonly prompt: string;
  readonly negativePrompt: string | null;
  /** The first frame of the video. */
  readonly firstImage: ImageInput | null;
  /** The last frame of the video. */
  readonly lastImage: ImageInput | null;
  /** Images of people and objects that appear in it. */
  readonly referenceImages: readonly ImageInput[];
  /** The video to edit or to continue: a public https URL. */
  readonly videoUrl: string | null;
  readonly durationSeconds: number | null;
  /** Two integers, such as `16:9`. */
  readonly aspectRatio: string | null;
  /** In lower case, such as `720p` or `4k`. */
  readonly resolution: string | null;
  /** Never set together with `aspectRatio` or `resolution`. */
  readonly size: PixelSize | null;
  /** The number of videos, 1 by default. */
  readonly count: number;
  readonly seed: number | null;
  /** Whether the video has sound. */
  readonly audio: boolean | null;
}

export const MUSIC_ACTIONS = ['MUSIC', 'LYRICS'] as const;
export type MusicAction = (typeof MUSIC_ACTIONS)[number];

/** From the contract, POST /v1/music/generations. */
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
  /** `null` only if there are images. */
  readonly prompt: string | null;
  readonly negativePrompt: string | null;
  /** Pictures of the object, from one or several sides. */
  readonly images: readonly ImageInput[];
  readonly format: ModelFormat | null;
  /** Whether the model has a texture. */
  readonly texture: boolean | null;
  readonly targetPolycount: number | null;
  readonly seed: number | null;
}

export type GenerationRequest = VideoRequest | MusicRequest | ThreeDRequest;
