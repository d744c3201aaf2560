export interface PngHeader {
  readonly width: number;
  readonly height: number;
  /** Bits per sample. */
  readonly bitDepth: number;
  readonly colorType: number;
  readonly isInterlaced: boolean;
}

/** Rows of pixels of the same length. An interlaced image consists of seven smaller ones. */
interface RowGroup {
  readonly rows: number;
  /** Includes the leading filter byte. */
  readonly rowBytes: number;
}

/** More pixels than any model accepts or makes, and a limit for what a small file can be inflated to. */
export const MOST_PIXELS = 4096 * 4096;

type Bytes = Uint8Array<ArrayBuffer>;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_HEAD_BYTES = 8;
const CRC_BYTES = 4;
const MOST_CHUNK_BYTES = 2 ** 31 - 1;
const MOST_CHUNKS = 65_536;
const LAST_FILTER = 4;

const SAMPLES: Readonly<Record<number, { readonly perPixel: number; readonly depths: readonly number[] }>> = {
  0: { perPixel: 1, depths: [1, 2, 4, 8, 16] },
  2: { perPixel: 3, depths: [8, 16] },
  3: { perPixel: 1, depths: [1, 2, 4, 8] },
  4: { perPixel: 2, depths: [8, 16] },
  6: { perPixel: 4, depths: [8, 16] },
};
const PALETTE = 3;
const ADAM7 = [
  { x: 0, y: 0, stepX: 8, stepY: 8 },
  { x: 4, y: 0, stepX: 8, stepY: 8 },
  { x: 0, y: 4, stepX: 4, stepY: 8 },
  { x: 2, y: 0, stepX: 4, stepY: 4 },
  { x: 0, y: 2, stepX: 2, stepY: 4 },
  { x: 1, y: 0, stepX: 2, stepY: 2 },
  { x: 0, y: 1, stepX: 1, stepY: 2 },
] as const;

/**
 * Walks through the chunks of a PNG file (W3C specification, third edition, sections 5, 9 and 11), which may arrive in pieces,
 * and checks their order, lengths and checksums, the header, and that the file ends where the image does. Holds only the header
 * and a few bytes.
 */
export class PngChunks {
  /** The problem with the file, worded as the end of a sentence. */
  problem: string | null = null;
  header: PngHeader | null = null;
  /** Whether the file declares transparent colours (`tRNS`). */
  hasTransparency = false;
  private hasPalette = false;
  private state: 'signature' | 'head' | 'data' | 'crc' | 'over' = 'signature';
  private data: 'before' | 'within' | 'behind' = 'before';
  /** The bytes of the item being read: a signature, a chunk head, the data of a short chunk, or a checksum. */
  private readonly kept = new Uint8Array(16);
  private filled = 0;
  private type = '';
  private left = 0;
  private crc = 0;
  private chunks = 0;

  /** Takes the next piece and returns the compressed image data in it. */
  push(piece: Bytes): readonly Bytes[] {
    const found: Bytes[] = [];
    let at = 0;
    while (at < piece.length && this.problem === null) {
      if (this.state === 'over') this.problem = 'has data after the end of the image';
      else if (this.state === 'data') at = this.readData(piece, at, found);
      else at = this.readKept(piece, at);
    }
    return found;
  }

  /** Ends the file. Returns the problem, if any. */
  end(): string | null {
    if (this.problem === null && this.state !== 'over') this.problem = 'is truncated: it ends before the image does';
    return this.problem;
  }

  private readData(piece: Bytes, at: number, found: Bytes[]): number {
    const bytes = piece.subarray(at, at + this.left);
    this.crc = crcOf(bytes, this.crc);
    this.left -= bytes.length;
    if (this.type === 'IDAT') found.push(bytes);
    else if (this.type === 'IHDR') {
      this.kept.set(bytes, this.filled);
      this.filled += bytes.length;
    }
    if (this.left === 0) {
      if (this.type === 'IHDR') this.readHeader();
      this.expect('crc');
    }
    return at + bytes.length;
  }

  private readKept(piece: Uint8Array, at: number): number {
    const wanted = this.state === 'crc' ? CRC_BYTES : 8;
    const bytes = piece.subarray(at, at + wanted - this.filled);
    this.kept.set(bytes, this.filled);
    this.filled += bytes.length;
    if (this.filled < wanted) return at + bytes.length;
    if (this.state === 'signature') this.readSignature();
    else if (this.state === 'head') this.readHead();
    else this.readCrc();
    return at + bytes.length;
  }

  private expect(state: 'head' | 'data' | 'crc' | 'over'): void {
    this.state = state;
    this.filled = 0;
  }

  private readSignature(): void {
    if (SIGNATURE.some((byte, index) => this.kept[index] !== byte)) this.problem = 'is not a PNG file';
    this.expect('head');
  }

  private readHead(): void {
    const length = uint32(this.kept, 0);
    const type = String.fromCharCode(...this.kept.subarray(4, CHUNK_HEAD_BYTES));
    this.problem = this.problemOf(type, length);
    this.crc = crcOf(this.kept.subarray(4, CHUNK_HEAD_BYTES), 0xffff_ffff);
    this.type = type;
    this.left = length;
    this.expect(length === 0 ? 'crc' : 'data');
  }

  private problemOf(type: string, length: number): string | null {
    if (!/^[A-Za-z]{2}[A-Z][A-Za-z]$/.test(type)) return 'is corrupt: a chunk has an invalid type';
    if (length > MOST_CHUNK_BYTES) return `is corrupt: the length of its chunk ${type} is impossible`;
    if (++this.chunks > MOST_CHUNKS) return `has more than ${MOST_CHUNKS} chunks`;
    if (this.chunks === 1)
      return type === 'IHDR' && length === 13 ? null : 'does not begin with the header of a PNG file';
    if (type === 'IHDR') return 'has two headers';
    if (type === 'IDAT' && this.data === 'behind') return 'is corrupt: its image data is not contiguous';
    if (type === 'IDAT' && this.header?.colorType === PALETTE && !this.hasPalette)
      return 'has no palette for its colors';
    if (type === 'IEND' && length > 0) return 'has data in its last chunk';
    if (type === 'IEND' && this.data === 'before') return 'has no image data';
    if (type === 'PLTE') return this.problemOfPalette(length);
    if (type === 'tRNS' && this.data !== 'before') return 'is corrupt: its transparency comes after its image data';
    // The type of a critical chunk begins with a capital.
    if (/^[A-Z]/.test(type) && type !== 'IDAT' && type !== 'IEND') return `has an unknown chunk ${type}`;
    return null;
  }

  private problemOfPalette(length: number): string | null {
    const { header } = this;
    const isMisplaced = this.hasPalette || this.data !== 'before' || header?.colorType === 0 || header?.colorType === 4;
    this.hasPalette = true;
    const most = header?.colorType === PALETTE ? 3 * 2 ** header.bitDepth : 768;
    return isMisplaced || length === 0 || length % 3 !== 0 || length > most ? 'has no valid palette' : null;
  }

  private readCrc(): void {
    const { type } = this;
    if (uint32(this.kept, 0) !== (this.crc ^ 0xffff_ffff) >>> 0) {
      this.problem ??= `is corrupt: the checksum of its chunk ${type} is wrong`;
    }
    if (type === 'tRNS') this.hasTransparency = true;
    if (type === 'IDAT') this.data = 'within';
    else if (this.data === 'within') this.data = 'behind';
    this.expect(type === 'IEND' ? 'over' : 'head');
  }

  private readHeader(): void {
    const [bitDepth = 0, colorType = 0, compression, filter, interlace = 0] = this.kept.subarray(8, 13);
    const header = {
      width: uint32(this.kept, 0),
      height: uint32(this.kept, 4),
      bitDepth,
      colorType,
      isInterlaced: interlace === 1,
    };
    const { width, height } = header;
    const isPossible =
      SAMPLES[colorType]?.depths.includes(bitDepth) === true && compression === 0 && filter === 0 && interlace <= 1;
    if (!isPossible) this.problem = 'has an invalid header';
    else if (width === 0 || height === 0 || width > MOST_CHUNK_BYTES || height > MOST_CHUNK_BYTES)
      this.problem = `has an invalid size: ${width} x ${height} pixels`;
    else if (width * height > MOST_PIXELS)
      this.problem = `is too large: ${width} x ${height} pixels; the limit is ${MOST_PIXELS} (4096 x 4096)`;
    else this.header = header;
  }
}

/** Checks the inflated image data against the header: the number of bytes, and the first byte of each row. */
export class PngRows {
  problem: string | null = null;
  private readonly groups: readonly RowGroup[];
  private group = 0;
  private row = 0;
  /** The number of bytes until the next row. */
  private left = 0;

  constructor(header: PngHeader) {
    this.groups = rowsOf(header);
  }

  push(piece: Uint8Array): void {
    let at = this.left;
    while (at < piece.length && this.problem === null) {
      const group = this.groups[this.group];
      if (group === undefined) this.problem = 'has more image data than its header declares';
      else if ((piece[at] ?? 0) > LAST_FILTER) this.problem = 'is corrupt or has a wrong size: a row is invalid';
      else {
        at += group.rowBytes;
        if (++this.row === group.rows) {
          this.row = 0;
          this.group++;
        }
      }
    }
    this.left = at - piece.length;
  }

  /** Ends the image data. Returns the problem, if any. */
  end(): string | null {
    const isWhole = this.group === this.groups.length && this.left === 0;
    if (!isWhole) this.problem ??= 'has less image data than its header declares';
    return this.problem;
  }
}

export function hasAlphaChannel({ colorType }: PngHeader): boolean {
  return colorType === 4 || colorType === 6;
}

function rowsOf({ width, height, bitDepth, colorType, isInterlaced }: PngHeader): readonly RowGroup[] {
  const bitsPerPixel = bitDepth * (SAMPLES[colorType]?.perPixel ?? 0);
  const group = (columns: number, rows: number) => ({ rows, rowBytes: 1 + Math.ceil((columns * bitsPerPixel) / 8) });
  if (!isInterlaced) return [group(width, height)];
  return ADAM7.flatMap(({ x, y, stepX, stepY }) => {
    const columns = Math.ceil((width - x) / stepX);
    const rows = Math.ceil((height - y) / stepY);
    return columns <= 0 || rows <= 0 ? [] : [group(columns, rows)];
  });
}

function uint32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb8_8320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** Updates an ISO 3309 checksum, which starts with all bits set; its complement ends a chunk. */
function crcOf(bytes: Uint8Array, before: number): number {
  let crc = before;
  for (let at = 0; at < bytes.length; at++) crc = (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  return crc;
}
