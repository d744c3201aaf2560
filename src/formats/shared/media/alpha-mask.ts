import { Failure } from '../../../domain/failure/failure.ts';
import { Turns } from '../json/large-json.ts';
import { writePng } from './write-png.ts';

/*
 * OpenAI's clients mark the area to edit by transparency, and most other providers by a colour. This converts masks of the first
 * kind into the second. Only the parts of PNG (ISO/IEC 15948) that this needs are read.
 */

type Bytes = Uint8Array<ArrayBuffer>;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** 4096 × 4096. */
const MOST_PIXELS = 16_777_216;
const LONGEST_CHUNK = 2 ** 31 - 1;
/** Deflate expands its input at most about a thousandfold. */
const INFLATED_AT_ONCE = 4 * 1024;
const DEFLATED_AT_ONCE = 256 * 1024;
const CHANNELS: ReadonlyMap<number, number> = new Map([
  [3, 1],
  [4, 2],
  [6, 4],
]);

interface Png {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colorType: number;
  /** The alpha of each palette entry. */
  readonly transparency: Uint8Array;
  readonly data: Bytes;
}

/**
 * Returns the mask as an opaque greyscale PNG: fully transparent pixels of the client's mask, which are to be edited, get the
 * colour `edited`, and all others the opposite one. Fails (400) for a file that is not such a PNG. A file of 65 KB may have 16
 * million pixels, so they are processed in slices.
 */
export async function opaqueMask(png: Uint8Array, edited: 'black' | 'white'): Promise<Bytes | Failure> {
  const read = readPng(png);
  if (read instanceof Failure) return read;
  const channels = CHANNELS.get(read.colorType) ?? 1;
  const rowBytes = Math.ceil((read.width * channels * read.depth) / 8);
  const expected = (rowBytes + 1) * read.height;
  const turns = new Turns();
  const rows = await inflated(read.data, expected, turns);
  if (rows === null) return wrongMask('it is corrupt, or its size is wrong');
  const isTransparent = await transparencyOf(read, rows, { rowBytes, turns });
  if (isTransparent === null) return wrongMask('one of its rows has an unknown filter');
  const grey = new Uint8Array((read.width + 1) * read.height);
  const [hit, miss] = edited === 'white' ? [255, 0] : [0, 255];
  for (let y = 0; y < read.height; y++) {
    for (let x = 0; x < read.width; x++) grey[y * (read.width + 1) + 1 + x] = isTransparent(x, y) ? hit : miss;
    if (turns.isOver) await turns.next();
  }
  return new Uint8Array(writePng({ ...read, colours: 'grey' }, await deflated(grey)));
}

function wrongMask(why: string): Failure {
  return new Failure('invalid_value', {
    message: `\`mask\` cannot be used: ${why}.`,
    param: 'mask',
    hint: 'Send a PNG of the same size as the image, transparent where the image should be edited.',
  });
}

/** Inflates to exactly `length` bytes; `null` if the data has more or fewer. Never holds more than that. */
async function inflated(data: Bytes, length: number, turns: Turns): Promise<Bytes | null> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  try {
    for await (const piece of inSlices(data, INFLATED_AT_ONCE).pipeThrough(new DecompressionStream('deflate'))) {
      if (filled + piece.length > length) return null;
      bytes.set(piece, filled);
      filled += piece.length;
      if (turns.isOver) await turns.next();
    }
  } catch {
    return null;
  }
  return filled === length ? bytes : null;
}

async function deflated(data: Bytes): Promise<Bytes> {
  const stream = inSlices(data, DEFLATED_AT_ONCE).pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Yields to other work before each slice. */
function inSlices(data: Bytes, sliceBytes: number): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream<Bytes>(
    {
      pull: async (controller) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (at < data.length) controller.enqueue(data.slice(at, at + sliceBytes));
        at += sliceBytes;
        if (at >= data.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function readPng(bytes: Uint8Array): Png | Failure {
  if (SIGNATURE.some((byte, place) => bytes[place] !== byte)) return wrongMask('it is not a PNG');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  let header: DataView | null = null;
  let transparency = new Uint8Array(0);
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (length > LONGEST_CHUNK || at + 12 + length > bytes.length) return wrongMask('it is truncated');
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (name === 'IHDR' && length === 13) header = new DataView(content.buffer, content.byteOffset, length);
    if (name === 'IDAT') data.push(content);
    if (name === 'tRNS') transparency = new Uint8Array(content);
    if (name === 'IEND') break;
    at += 12 + length;
  }
  if (header === null || data.length === 0) return wrongMask('it has no image data');
  const [width, height, depth, colorType] = [
    header.getUint32(0),
    header.getUint32(4),
    header.getUint8(8),
    header.getUint8(9),
  ];
  if (width === 0 || height === 0 || width * height > MOST_PIXELS) {
    return wrongMask(`it has ${width} × ${height} pixels; the limit is ${MOST_PIXELS}`);
  }
  const hasAlpha = colorType === 4 || colorType === 6 || (colorType === 3 && transparency.length > 0);
  if (!hasAlpha) return wrongMask('it has no alpha channel, so nothing in it is transparent');
  const depths = colorType === 3 ? [1, 2, 4, 8] : [8, 16];
  if (!depths.includes(depth)) return wrongMask('it has an invalid bit depth');
  if (header.getUint8(12) !== 0) return wrongMask('it is interlaced; save it without interlacing');
  return { width, height, depth, colorType, transparency, data: new Uint8Array(Buffer.concat(data)) };
}

/** Returns for each pixel whether it is fully transparent; `null` if a row has an invalid filter. */
async function transparencyOf(
  { colorType, depth, transparency }: Png,
  rows: Uint8Array,
  { rowBytes, turns }: { readonly rowBytes: number; readonly turns: Turns },
): Promise<((x: number, y: number) => boolean) | null> {
  const perPixel = Math.max(1, ((CHANNELS.get(colorType) ?? 1) * depth) / 8);
  const alphaBytes = depth === 16 ? 2 : 1;
  const first = perPixel - alphaBytes;
  const count = rows.length / (rowBytes + 1);
  for (let y = 0; y < count; y++) {
    for (let offset = first; offset < perPixel; offset++) {
      if (!restore(rows, { start: y * (rowBytes + 1), rowBytes, offset, step: perPixel })) return null;
    }
    if (turns.isOver) await turns.next();
  }
  const at = (x: number, y: number) => y * (rowBytes + 1) + 1 + x * perPixel + first;
  if (colorType === 3) {
    return (x, y) => {
      const bit = x * depth;
      const byte = rows[y * (rowBytes + 1) + 1 + (bit >> 3)] ?? 0;
      const index = (byte >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
      return transparency[index] === 0;
    };
  }
  return (x, y) => rows[at(x, y)] === 0 && (alphaBytes === 1 || rows[at(x, y) + 1] === 0);
}

interface RowBytes {
  /** The offset of the row's filter byte. */
  readonly start: number;
  readonly rowBytes: number;
  /** The only byte of each pixel that is restored: filters combine only bytes at the same position within a pixel. */
  readonly offset: number;
  readonly step: number;
}

/** Reverses the filter for one byte of each pixel of a row; returns `false` for an unknown filter. */
function restore(rows: Uint8Array, { start, rowBytes, offset, step }: RowBytes): boolean {
  const filter = rows[start] ?? 0;
  if (filter > 4) return false;
  if (filter === 0) return true;
  const above = start - rowBytes - 1;
  for (let column = offset; column < rowBytes; column += step) {
    const at = start + 1 + column;
    const left = column >= step ? (rows[at - step] ?? 0) : 0;
    const up = above >= 0 ? (rows[above + 1 + column] ?? 0) : 0;
    const corner = above >= 0 && column >= step ? (rows[above + 1 + column - step] ?? 0) : 0;
    rows[at] = (rows[at] ?? 0) + predicted(filter, left, up, corner);
  }
  return true;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
