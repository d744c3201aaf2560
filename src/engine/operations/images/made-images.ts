import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageAnswer, ImageRequest, MadeImage } from '../../../domain/images/images.ts';
import { sniffMediaType } from '../../../domain/media/sniff-media-type.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import { type CallFiles, fetchMade, unreadableResult } from '../made-file.ts';

/** One image in the client's response. */
export interface GivenImage {
  readonly url?: string;
  readonly b64_json?: string;
  readonly revised_prompt?: string;
}

export interface GivingPorts extends CallFiles {
  readonly accountId: string;
  /** The origin by which the client reaches the gateway. */
  readonly origin: string;
  readonly store: MediaStore;
}

/** Hosts explain a missing image with such a page and a status of 200. */
const PAGES: ReadonlySet<string> = new Set(['text/html', 'application/json', 'application/xml']);

/**
 * The requested form of images: `either` as the upstream returns them, `both` with an additional link to those that it returns as bytes.
 */
export type Wanted = 'url' | 'b64_json' | 'either' | 'both';

/**
 * Returns the requested form, or its default. An edit has a URL (contract, POST /v1/images/edits), and also the bytes, which clients of
 * OpenAI's newer models read because these never return a URL.
 */
export function wantedBy({ responseFormat, endpoint }: Pick<ImageRequest, 'responseFormat' | 'endpoint'>): Wanted {
  return responseFormat ?? (endpoint === 'edits' ? 'both' : 'either');
}

/**
 * Converts the images to the requested form: base64 becomes a link to the gateway's own store, and images at an upstream URL are fetched
 * for `b64_json`. If the store is full, an image stays base64, because it would be lost otherwise.
 */
export function givenImages(
  images: readonly MadeImage[],
  wanted: Wanted,
  answer: Pick<ImageAnswer, 'fileFormat'>,
  ports: GivingPorts,
): Promise<readonly (GivenImage | Failure)[]> {
  return Promise.all(images.map((image) => given(image, wanted, answer, ports)));
}

async function given(
  image: MadeImage,
  wanted: Wanted,
  answer: Pick<ImageAnswer, 'fileFormat'>,
  ports: GivingPorts,
): Promise<GivenImage | Failure> {
  const { url, base64, revisedPrompt } = image;
  const prompt = revisedPrompt === null ? {} : { revised_prompt: revisedPrompt };
  if (base64 !== undefined) {
    const link = wanted === 'url' || wanted === 'both' ? await linkTo(base64, image, answer, ports) : null;
    if (link === null) return { b64_json: base64, ...prompt };
    return { url: link, ...(wanted === 'both' && { b64_json: base64 }), ...prompt };
  }
  if (wanted !== 'b64_json') return { ...(url !== undefined && { url }), ...prompt };
  const fetched = await fetchedBase64(url ?? '', ports);
  return fetched instanceof Failure ? fetched : { b64_json: fetched, ...prompt };
}

async function linkTo(
  base64: string,
  { mediaType }: MadeImage,
  { fileFormat }: Pick<ImageAnswer, 'fileFormat'>,
  { store, accountId, origin }: GivingPorts,
): Promise<string | null> {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  const type = sniffMediaType(bytes) ?? mediaType ?? `image/${fileFormat ?? 'png'}`;
  const stored = await store.put({ accountId, content: { kind: 'bytes', bytes }, mediaType: type });
  return stored instanceof Failure ? null : store.link(stored, origin);
}

async function fetchedBase64(url: string, ports: GivingPorts): Promise<string | Failure> {
  const media = await fetchMade(url, ports, unreadable);
  if (media instanceof Failure) return media;
  const { bytes, mediaType } = media;
  if (!PAGES.has(mediaType)) return Buffer.from(bytes).toString('base64');
  return unreadable(new Failure('invalid_value', { kind: 'media_page', message: `its host returned ${mediaType}` }));
}

function unreadable(failure: Failure): Failure {
  const { message } = failure.details;
  const text = `The provider's image cannot be fetched (${message}). With \`response_format: "url"\` you can fetch it yourself.`;
  return unreadableResult(text, failure);
}
