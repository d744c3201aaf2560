import { namesByBytes } from '../../shared/labelled-files.ts';
import { pngOf } from '../../shared/png.ts';
import type { Example, ReceivedRequest, Rule, Source } from '../rule.ts';

/* Rules about input images, which are files of a form at some providers and base64 text at others. */

export interface SentImage {
  /** The name of the member or part, for the refusal. */
  readonly field: string;
  readonly bytes: Uint8Array;
}

/** Returns the images of a request. */
export type ImagesIn = (request: ReceivedRequest) => readonly SentImage[];

/** Returns a function that finds the files of a form in parts with these names. */
export function filesNamed(...names: readonly string[]): ImagesIn {
  return ({ files }) =>
    files.filter(({ part }) => names.includes(part)).map(({ part, bytes }) => ({ field: part, bytes }));
}

/** Returns the image of a data URI, or of plain base64; none for a URL. */
export function imageOfText(field: string, text: unknown): readonly SentImage[] {
  if (typeof text !== 'string' || /^https?:/.test(text)) return [];
  return [{ field, bytes: Buffer.from(text.replace(/^data:[^,]*,/, ''), 'base64') }];
}

interface AboutImages {
  readonly imagesIn: ImagesIn;
  readonly source: Source;
  /** Returns an example whose image has these bytes. */
  readonly withImage: (bytes: Buffer) => Example;
}

export const GIF = Buffer.from(
  'GIF89a\x40\0\x40\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\x40\0\x40\0\0\x02\0;',
  'latin1',
);
export const PNG = pngOf({ width: 256, height: 256, alpha: true });

/** Makes a rule for the file types that a provider reads, whatever the media type says. */
export function inputKinds({
  kinds,
  imagesIn,
  withImage,
  source,
}: AboutImages & { readonly kinds: readonly string[] }): Rule {
  const names = kinds.map((kind) => kind.toUpperCase()).join(', ');
  return {
    id: 'input-kinds',
    statement: `An input image must be one of ${names}.`,
    source,
    refuses(request) {
      const wrong = imagesIn(request).find(({ bytes }) => !kinds.includes(kindOf(bytes)));
      return wrong === undefined ? null : `${wrong.field}: unsupported image type ${kindOf(wrong.bytes)}`;
    },
    examples: { refused: [withImage(GIF)], accepted: [withImage(PNG)] },
  };
}

function kindOf(bytes: Uint8Array): string {
  const [name = 'unknown'] = namesByBytes({ base64: Buffer.from(bytes.subarray(0, 48)).toString('base64') }) ?? [];
  return name.replace(/^image\//, '');
}

/** Makes a rule for the size of an image in bytes. */
export function inputBytes({ most, imagesIn, withImage, source }: AboutImages & { readonly most: number }): Rule {
  return {
    id: 'input-bytes',
    statement: `An input image must have at most ${most.toLocaleString('en')} bytes.`,
    source,
    refuses(request) {
      const wrong = imagesIn(request).find(({ bytes }) => bytes.length > most);
      return wrong === undefined ? null : `${wrong.field}: the image is too large (${wrong.bytes.length} bytes)`;
    },
    examples: { refused: [withImage(Buffer.concat([PNG, Buffer.alloc(most)]))], accepted: [withImage(PNG)] },
  };
}

/** Makes a rule for the smallest side in pixels; only PNG files are measured. */
export function inputSides({ least, imagesIn, withImage, source }: AboutImages & { readonly least: number }): Rule {
  return {
    id: 'input-sides',
    statement: `An input image must have at least ${least} pixels on each side.`,
    source,
    refuses(request) {
      const wrong = imagesIn(request).find(({ bytes }) => shorterSideOf(bytes) < least);
      return wrong === undefined ? null : `${wrong.field}: each side must have at least ${least} pixels`;
    },
    examples: { refused: [withImage(pngOf({ width: least - 1, height: least }))], accepted: [withImage(PNG)] },
  };
}

function shorterSideOf(bytes: Uint8Array): number {
  if (kindOf(bytes) !== 'png' || bytes.length < 24) return Number.POSITIVE_INFINITY;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Math.min(view.getUint32(16), view.getUint32(20));
}
