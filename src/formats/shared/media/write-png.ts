export interface PngShape {
  readonly width: number;
  readonly height: number;
  /** One byte per pixel, or three: red, green and blue. */
  readonly colours: 'grey' | 'palette' | 'rgb';
}

const COLOUR_TYPES = { grey: 0, rgb: 2, palette: 3 } as const;

/**
 * Returns a PNG file with 8 bits per sample.
 * @param data the rows, each beginning with its filter byte, in zlib's format
 * @param palette three bytes per colour
 */
export function writePng({ width, height, colours }: PngShape, data: Uint8Array, palette?: Uint8Array) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPES[colours], 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(palette === undefined ? [] : [chunk('PLTE', palette)]),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(Bun.hash.crc32(bytes.subarray(4, -4)), data.length + 8);
  return bytes;
}
