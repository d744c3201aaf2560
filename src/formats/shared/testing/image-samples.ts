import type { ImageRequest } from '../../../domain/images/images.ts';

/** A request in which the client has said nothing but the prompt. */
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

/** It as a `data:` URI of the client. */
export const INLINE_PIXEL = {
  kind: 'inline',
  bytes: Uint8Array.fromBase64(PIXEL_BASE64),
  mediaType: 'image/png',
} as const;
