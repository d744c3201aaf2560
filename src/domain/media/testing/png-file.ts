import { crc32, deflateSync } from 'node:zlib';

type Bytes = Uint8Array<ArrayBuffer>;

export const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

export interface PngFields {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colorType: number;
  readonly compression: number;
  readonly filter: number;
  readonly interlace: number;
}

export const SMALL: PngFields = {
  ...{ width: 5, height: 3, bitDepth: 8, colorType: 6 },
  ...{ compression: 0, filter: 0, interlace: 0 },
};

export function chunk(type: string, data: Uint8Array = new Uint8Array(0)): Bytes {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const bytes = Buffer.alloc(typed.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  typed.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(typed), typed.length + 4);
  return new Uint8Array(bytes);
}

export function header(fields: Partial<PngFields> = {}): Bytes {
  const { width, height, bitDepth, colorType, compression, filter, interlace } = { ...SMALL, ...fields };
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bitDepth, colorType, compression, filter, interlace], 8);
  return chunk('IHDR', data);
}

/** Returns the compressed data of this many black bytes. */
export function data(bytes: number): Bytes {
  return new Uint8Array(deflateSync(new Uint8Array(bytes)));
}

export function joined(...pieces: readonly Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(pieces));
}

/** Returns a valid file of a single colour. */
export function pngFile(fields: Partial<PngFields> = {}, more: readonly Uint8Array[] = []): Bytes {
  const { width, height } = { ...SMALL, ...fields };
  const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
  const { bitDepth, colorType } = { ...SMALL, ...fields };
  const rowBytes = 1 + Math.ceil((width * bitDepth * (samples[colorType] ?? 0)) / 8);
  return joined(SIGNATURE, header(fields), ...more, chunk('IDAT', data(height * rowBytes)), chunk('IEND'));
}
