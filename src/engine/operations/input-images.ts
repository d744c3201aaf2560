import { Failure } from '../../domain/failure/failure.ts';
import type { ImageInput } from '../../domain/images/images.ts';
import { imageInfo } from '../../domain/media/image-info.ts';
import { MOST_IMAGE_BYTES } from '../../domain/media/uploaded-file.ts';
import { wrongField } from '../../formats/shared/request/request-fields.ts';
import type { RequestMedia } from '../ports/media-fetcher.ts';

/** The limit of OpenAI's models. */
export const MOST_INPUT_IMAGES = 16;

const DATA_URI = /^data:(image\/[\w.+-]{1,40})(?:;[\w.+=-]{1,80}){0,4};base64,/i;
const LONGEST_URL = 16_384;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads an image of a JSON body: an https URL, or a `data:` URI, whose bytes are decoded. `path` is the field. */
export function imageFrom(value: unknown, path: string): ImageInput | Failure {
  if (typeof value !== 'string') return wrongField('invalid_type', path, 'must be a URL, as a string');
  if (/^https?:\/\//i.test(value)) {
    const isUrl = value.length <= LONGEST_URL && URL.canParse(value);
    return isUrl ? { kind: 'url', url: value } : wrongField('invalid_value', path, 'is not a valid URL');
  }
  const [head, declared] = DATA_URI.exec(value.slice(0, 512)) ?? [];
  if (head === undefined || declared === undefined) {
    return wrongField(
      'invalid_value',
      path,
      'must be a public https URL, or a data URI such as `data:image/png;base64,…`',
    );
  }
  if (value.length - head.length > Math.ceil(MOST_IMAGE_BYTES / 3) * 4) return tooLarge(path);
  const text = value.slice(head.length);
  if (!BASE64.test(text)) return wrongField('invalid_value', path, 'is a data URI whose data is not base64');
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return inlineImage(bytes, path);
}

/** Reads the images of a member for one image, and of another that lists several. A request may have only one of the two. */
export function imagesOf(
  body: Readonly<Record<string, unknown>>,
  names: { readonly one: string; readonly several: string },
): readonly ImageInput[] | Failure {
  const one = memberOf(body, names.one);
  const several = memberOf(body, names.several);
  if (one !== null && several !== null) {
    return wrongField(
      'invalid_value',
      names.several,
      `cannot be combined with \`${names.one}\`; put all images into one of the two`,
    );
  }
  if (several !== null) return imageList(several, names.several);
  return one === null ? [] : imagesFrom([{ value: one, path: names.one }]);
}

/** Reads the value of the member `name` as a list of images. */
export function imageList(value: unknown, name: string): readonly ImageInput[] | Failure {
  const items = itemsOf(value, name);
  return items instanceof Failure
    ? items
    : imagesFrom(items.map((item, index) => ({ value: item, path: `${name}[${index}]` })));
}

/** Returns the items of a list of images, which are not parsed yet. */
export function itemsOf(value: unknown, name: string): readonly unknown[] | Failure {
  if (!Array.isArray(value)) return wrongField('invalid_type', name, 'must be a list of URLs');
  if (value.length <= MOST_INPUT_IMAGES) return value;
  return wrongField('invalid_value', name, `has ${value.length} images; the limit is ${MOST_INPUT_IMAGES}`);
}

function imagesFrom(
  values: readonly { readonly value: unknown; readonly path: string }[],
): readonly ImageInput[] | Failure {
  const images: ImageInput[] = [];
  for (const { value, path } of values) {
    const image = imageFrom(value, path);
    if (image instanceof Failure) return image;
    images.push(image);
  }
  return images;
}

/** Returns a member's value; `null` if it is absent. Inherited members are ignored. */
export function memberOf(body: Readonly<Record<string, unknown>>, name: string): unknown {
  return (Object.hasOwn(body, name) ? body[name] : null) ?? null;
}

/** Reads the bytes of an image. `path` is the field. */
export function inlineImage(bytes: Uint8Array<ArrayBuffer>, path: string): ImageInput | Failure {
  if (bytes.length > MOST_IMAGE_BYTES) return tooLarge(path);
  const info = imageInfo(bytes);
  if (info !== null) {
    const { mediaType, width, height } = info;
    return { kind: 'inline', bytes, mediaType, pixels: { width, height } };
  }
  return wrongField('invalid_value', path, 'is not a PNG, JPEG, WebP or GIF image');
}

function tooLarge(param: string): Failure {
  const message = `\`${param}\` is larger than 20 MB, the limit for an image.`;
  return new Failure('payload_too_large', { message, param });
}

/** An image, and the field in which the client gave it. */
export interface LocatedImage {
  readonly image: ImageInput;
  readonly path: string;
}

/** Caches the images of one request by URL, so that a second target does not fetch them again. */
export class FetchedImages {
  private readonly fetched = new Map<string, Promise<ImageInput | Failure>>();

  constructor(
    private readonly files: () => RequestMedia,
    /** The most URLs that one request may have fetched. */
    private readonly maxUrls: number,
    private readonly signal: () => AbortSignal,
  ) {}

  /**
   * Resolves to the same images in the same order, with URLs replaced by bytes. A URL that cannot be fetched is the client's error, and the
   * failure names its `path`; with too many URLs, it names `field`.
   */
  async bytesOf(images: readonly LocatedImage[], field: string): Promise<readonly ImageInput[] | Failure> {
    const urls = images.filter(({ image }) => image.kind === 'url').length;
    if (urls > this.maxUrls) {
      const rule = `has ${urls} images that the gateway would have to fetch; the limit is ${this.maxUrls}. Send some as data URIs`;
      return wrongField('invalid_value', field, rule);
    }
    const read = await Promise.all(images.map(({ image, path }) => this.inline(image, path)));
    const failure = read.find((image) => image instanceof Failure);
    if (failure instanceof Failure) return failure;
    return read.filter((image): image is ImageInput => !(image instanceof Failure));
  }

  private inline(image: ImageInput, path: string): ImageInput | Promise<ImageInput | Failure> {
    if (image.kind !== 'url') return image;
    const known = this.fetched.get(image.url);
    if (known !== undefined) return known;
    const fetching = this.fetch(image.url, path);
    this.fetched.set(image.url, fetching);
    return fetching;
  }

  private async fetch(url: string, path: string): Promise<ImageInput | Failure> {
    const media = await this.files().fetch(url, { signal: this.signal() });
    if (!(media instanceof Failure)) return inlineImage(media.bytes, path);
    this.fetched.delete(url);
    return new Failure(media.code, { ...media.details, param: path });
  }
}
