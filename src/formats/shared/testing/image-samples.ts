import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import type { WireRequest } from '../../wire.ts';

/** A request in which the client has given only the prompt. */
export const PLAIN_IMAGE: ImageRequest = {
  model: 'public-model',
  kind: 'generation',
  endpoint: 'generations',
  prompt: 'a fox in the snow',
  images: [],
  mask: null,
  negativePrompt: null,
  count: 1,
  size: null,
  aspectRatio: null,
  quality: null,
  style: null,
  background: null,
  moderation: null,
  inputFidelity: null,
  seed: null,
  responseFormat: null,
  fileFormat: null,
  compression: null,
  stream: false,
  partialImages: null,
  user: null,
  options: {},
  bytes: null,
  body: {},
};

/** A red pixel as a PNG. */
export const PIXEL_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

/** The same pixel as a client's `data:` URI. */
export const INLINE_PIXEL = {
  kind: 'inline',
  bytes: Uint8Array.fromBase64(PIXEL_BASE64),
  mediaType: 'image/png',
} as const;

export const PIXEL_URI = `data:image/png;base64,${PIXEL_BASE64}`;

/** Every option that a client can set, apart from sizes and file formats. */
export const ALL_KNOBS: Partial<ImageRequest> = {
  negativePrompt: 'fog',
  quality: 'hd',
  style: 'vivid',
  moderation: 'low',
  inputFidelity: 'high',
  seed: 7,
  compression: 80,
  partialImages: 2,
  user: 'u',
};

export interface SentImage {
  readonly body: Readonly<Record<string, unknown>>;
  /** Each loss as `field verdict`, sorted. */
  readonly lost: readonly string[];
  readonly suffix: string | undefined;
}

/** Returns what a wire sends as JSON; `400 param` for a refusal. */
export async function sentAsJson(
  encoded: WireRequest | Failure | Promise<WireRequest | Failure>,
): Promise<SentImage | string> {
  const found = await encoded;
  if (found instanceof Failure) return `${found.status} ${found.details.param}`;
  if (!(found.body instanceof Uint8Array)) throw new Error('the wire sends no JSON');
  return {
    body: JSON.parse(new TextDecoder().decode(found.body)),
    lost: found.losses.map(({ field, verdict }) => `${field} ${verdict}`).sort(),
    suffix: found.suffix,
  };
}

/** Values of the wrong type for any member of an answer. */
export const ODD_VALUES: readonly unknown[] = [null, 7, -1, true, '', 'odd', [], [null], [[]], {}, [{}], [7], ['odd']];

/** Returns an answer in the form that wires receive. */
export function wireAnswer(body: unknown): { bytes: Uint8Array; headers: Headers } {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { bytes: new TextEncoder().encode(text), headers: new Headers() };
}
/** A PNG of one fully transparent pixel: as a mask, it marks everything for editing. */
export const MASK_PIXEL = {
  kind: 'inline',
  bytes: Uint8Array.fromBase64(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=',
  ),
  mediaType: 'image/png',
} as const;
