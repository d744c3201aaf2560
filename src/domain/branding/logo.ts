import { imageInfo } from '../media/image-info.ts';

/** A logo whose content was checked. */
export interface Logo {
  readonly mediaType: 'image/png' | 'image/webp';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Enough for a sharp logo at the sizes of the pages, and little beside the scripts that every page loads. */
export const LARGEST_LOGO_BYTES = 64 * 1024;
/** A page shows a logo at most 160 px wide; a larger image costs memory in each browser. */
export const LARGEST_LOGO_SIDE = 1024;

const PREFIX = /^data:image\/(png|webp);base64,/;

/**
 * Reads a logo from a `data:` URL. Only PNG and WebP are taken, by their content: an SVG is a document that can run scripts, load files and
 * link elsewhere, and removing that safely needs a parser that agrees with all browsers. Files with anything after the image are refused,
 * since they may be a document as well.
 */
export function readLogo(
  url: string,
): { readonly ok: true; readonly logo: Logo } | { readonly ok: false; readonly problem: string } {
  const prefix = PREFIX.exec(url);
  if (prefix === null) return refused('must be a PNG or WebP image as "data:image/png;base64,…"; SVG is not accepted');
  const bytes = decoded(url.slice(prefix[0].length));
  if (bytes === null) return refused('is not valid base64');
  if (bytes.length > LARGEST_LOGO_BYTES) return refused(`must be at most ${LARGEST_LOGO_BYTES / 1024} KB`);
  const info = imageInfo(bytes);
  if (info === null || (info.mediaType !== 'image/png' && info.mediaType !== 'image/webp')) {
    return refused('is not a PNG or WebP image');
  }
  const { mediaType, width, height } = info;
  if (mediaType !== `image/${prefix[1]}`) return refused(`says image/${prefix[1]} but is ${mediaType}`);
  if (Math.max(width, height) > LARGEST_LOGO_SIDE) {
    return refused(`must be at most ${LARGEST_LOGO_SIDE} × ${LARGEST_LOGO_SIDE} pixels; it has ${width} × ${height}`);
  }
  const view = new DataView(bytes.buffer);
  const problem = mediaType === 'image/png' ? pngProblem(view) : webpProblem(view);
  return problem === null ? { ok: true, logo: { mediaType, width, height, bytes } } : refused(problem);
}

function refused(problem: string) {
  return { ok: false, problem } as const;
}

function decoded(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

const DAMAGED = 'is damaged: the image does not end where its file does';
const MOVING = 'must not be animated';
const PNG_SIGNATURE_BYTES = 8;
/** The length, the type and the checksum of a chunk. */
const PNG_CHUNK_BYTES = 12;

/** Walks the chunks to the last one, which must end the file (PNG specification, 5.3). */
function pngProblem(view: DataView): string | null {
  let at = PNG_SIGNATURE_BYTES;
  while (at + PNG_CHUNK_BYTES <= view.byteLength) {
    const type = textAt(view, at + 4);
    if (type === 'acTL') return MOVING;
    at += PNG_CHUNK_BYTES + view.getUint32(at);
    if (type === 'IEND') return at === view.byteLength ? null : DAMAGED;
  }
  return DAMAGED;
}

/** Compares the length that the container states, padded to an even one, with that of the file (RFC 9649, 2.3). */
function webpProblem(view: DataView): string | null {
  const length = view.getUint32(4, true) + 8;
  if (length + (length % 2) !== view.byteLength) return DAMAGED;
  const isAnimated = textAt(view, 12) === 'VP8X' && (view.getUint8(20) & 0x02) !== 0;
  return isAnimated ? MOVING : null;
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
}
