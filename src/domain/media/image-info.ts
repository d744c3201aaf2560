export interface ImageInfo {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** Pixels, as stated in the file; at least 1. */
  readonly width: number;
  readonly height: number;
}

/** Returns the kind and size of an image from the beginning of its file; `null` for other kinds and for unreadable files. */
export function imageInfo(head: Uint8Array): ImageInfo | null {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  try {
    const info = pngInfo(view) ?? gifInfo(view) ?? webpInfo(view) ?? jpegInfo(view);
    return info === null || info.width === 0 || info.height === 0 ? null : info;
  } catch (error) {
    // The head ends within a structure that it announces.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function pngInfo(view: DataView): ImageInfo | null {
  if (textAt(view, 0, 8) !== '\x89PNG\r\n\x1a\n' || textAt(view, 12, 4) !== 'IHDR') return null;
  return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

function gifInfo(view: DataView): ImageInfo | null {
  if (!/^GIF8[79]a$/.test(textAt(view, 0, 6))) return null;
  return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Reads the container of RFC 9649, and the frame headers of VP8 (RFC 6386, section 9.1) and VP8L. */
function webpInfo(view: DataView): ImageInfo | null {
  if (textAt(view, 0, 4) !== 'RIFF' || textAt(view, 8, 4) !== 'WEBP') return null;
  const mediaType = 'image/webp';
  switch (textAt(view, 12, 4)) {
    case 'VP8X':
      return { mediaType, width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    case 'VP8L': {
      if (view.getUint8(20) !== 0x2f) return null;
      const bits = view.getUint32(21, true);
      return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (textAt(view, 23, 3) !== '\x9d\x01\x2a') return null;
      return {
        mediaType,
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      };
    default:
      return null;
  }
}

/** Reads the first frame header; marker segments before it are skipped by their lengths (ITU-T T.81, annex B). */
function jpegInfo(view: DataView): ImageInfo | null {
  if (view.getUint16(0) !== 0xffd8) return null;
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // Fill bytes may precede a marker.
      at += 1;
    } else if (isFrame(marker)) {
      return { mediaType: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else if (isBare(marker)) {
      at += 2;
    } else {
      const length = view.getUint16(at + 2);
      // A scan (0xda) or the end without a preceding frame header means that it is not an image.
      if (length < 2 || marker === 0xda || marker === 0xd9) return null;
      at += 2 + length;
    }
  }
}

/** Returns whether it is SOF0 to SOF15, without the table and reserved markers in between. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Returns whether a marker has no length: TEM and the restart markers. */
function isBare(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Returns the bytes as Latin-1 text, truncated where the head ends. */
function textAt(view: DataView, at: number, length: number): string {
  let text = '';
  for (let index = at; index < Math.min(at + length, view.byteLength); index++) {
    text += String.fromCharCode(view.getUint8(index));
  }
  return text;
}
