import { describe, expect, spyOn, test } from 'bun:test';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { Failure } from '../../../domain/failure/failure.ts';
import { Turns } from '../json/large-json.ts';
import { opaqueMask } from './alpha-mask.ts';

function chunk(name: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(content.length);
  const body = Buffer.concat([Buffer.from(name), content]);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

interface Sample {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly type?: number;
  readonly interlace?: number;
  readonly transparency?: readonly number[];
}

/** Builds a PNG; each row begins with its filter byte. */
function png({ width, height, depth = 8, type = 6, interlace = 0, transparency }: Sample, rows: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, interlace], 8);
  const data = deflateSync(rows);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(transparency === undefined ? [] : [chunk('tRNS', Uint8Array.from(transparency))]),
    chunk('IDAT', data.subarray(0, 5)),
    chunk('IDAT', data.subarray(5)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

/** Returns the grey values of `opaqueMask`'s result, row by row. */
function greys(mask: Uint8Array | Failure): readonly (readonly number[])[] | string {
  if (mask instanceof Failure) return `${mask.status} ${mask.details.param}: ${mask.message}`;
  const view = new DataView(mask.buffer, mask.byteOffset);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  expect([...mask.subarray(24, 29)]).toEqual([8, 0, 0, 0, 0]);
  const length = view.getUint32(33);
  const rows = inflateSync(mask.subarray(41, 41 + length));
  expect(view.getUint32(41 + length)).toBe(crc32(mask.subarray(37, 41 + length)));
  return Array.from({ length: height }, (_, y) => [...rows.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))]);
}

/** Returns random pixels, row `y` filtered with filter `y % 5`, and which of them are transparent. */
function filtered(width: number, height: number, perPixel: number, alphaBytes: number) {
  const plain = Array.from({ length: height }, () =>
    Uint8Array.from({ length: width * perPixel }, () => Math.floor(Math.random() * 256)),
  );
  const expected = plain.map((row) =>
    Array.from({ length: width }, (_, x) => {
      const isClear = Math.random() < 0.5;
      const end = (x + 1) * perPixel;
      if (isClear) row.fill(0, end - alphaBytes, end);
      else row[end - 1] = 1 + (x % 255);
      return isClear ? 255 : 0;
    }),
  );
  const rows = plain.map((row, y) => {
    const above = plain[y - 1] ?? new Uint8Array(row.length);
    const filter = y % 5;
    const coded = row.map((value, at) => {
      const left = row[at - perPixel] ?? 0;
      const up = above[at] ?? 0;
      const corner = above[at - perPixel] ?? 0;
      const estimate = left + up - corner;
      const nearest = [left, up, corner].reduce((best, one) =>
        Math.abs(estimate - one) < Math.abs(estimate - best) ? one : best,
      );
      return value - ([0, left, up, (left + up) >> 1, nearest][filter] ?? 0);
    });
    return Uint8Array.from([filter, ...coded]);
  });
  return { rows: Buffer.concat(rows), expected };
}

describe('a mask of transparency becomes one of colours', () => {
  const kinds = [
    { type: 6, depth: 8, perPixel: 4, alphaBytes: 1 },
    { type: 6, depth: 16, perPixel: 8, alphaBytes: 2 },
    { type: 4, depth: 8, perPixel: 2, alphaBytes: 1 },
    { type: 4, depth: 16, perPixel: 4, alphaBytes: 2 },
  ];

  test.each(kinds)('with every filter: %p', async ({ type, depth, perPixel, alphaBytes }) => {
    for (let round = 0; round < 20; round++) {
      const [width, height] = [1 + (round % 7), 1 + (round % 11)];
      const { rows, expected } = filtered(width, height, perPixel, alphaBytes);
      expect(greys(await opaqueMask(png({ width, height, type, depth }, rows), 'white'))).toEqual(expected);
    }
  });

  test('with black where the provider edits black', async () => {
    const rows = Uint8Array.from([0, 9, 9, 9, 0, 9, 9, 9, 1]);
    expect(greys(await opaqueMask(png({ width: 2, height: 1 }, rows), 'black'))).toEqual([[0, 255]]);
  });

  test.each([
    [1, [0, 0b10100000], [0, 255]],
    [2, [0, 0b00011000], [255, 0, 255]],
    [4, [0, 0x01, 0x20], [0, 255, 255]],
    [8, [0, 0, 1, 2], [0, 255, 255]],
  ])('of a palette with %p bits', async (depth, rows, transparency) => {
    const sample = { width: 3, height: 1, type: 3, depth, transparency };
    const bits = rows.slice(1).flatMap((byte) => [...byte.toString(2).padStart(8, '0')]);
    const expected = [0, 1, 2].map((x) => {
      const index = Number.parseInt(bits.slice(x * depth, (x + 1) * depth).join(''), 2);
      return transparency[index] === 0 ? 255 : 0;
    });
    expect(greys(await opaqueMask(png(sample, Uint8Array.from(rows)), 'white'))).toEqual([expected]);
  });
});

describe('an unusable mask is a client error by name', () => {
  const row = Uint8Array.from([0, 1, 2, 3, 0]);
  const good = png({ width: 1, height: 1 }, row);
  const sized = (width: number, height: number) => png({ width, height }, row);

  test.each([
    ['not a PNG', Buffer.from('GIF89a')],
    ['nothing', Buffer.alloc(0)],
    ['an image larger than declared', png({ width: 1, height: 1 }, Buffer.concat([row, row]))],
    ['an image smaller than declared', sized(4, 4)],
    ['too many pixels', sized(2 ** 31, 2 ** 31)],
    ['no pixels', sized(0, 1)],
    ['a decompression bomb', png({ width: 16, height: 16 }, Buffer.alloc(50_000_000))],
    ['no alpha channel', png({ width: 1, height: 1, type: 2 }, Uint8Array.from([0, 1, 2, 3]))],
    ['a palette without transparency', png({ width: 1, height: 1, type: 3 }, Uint8Array.from([0, 1]))],
    ['interlaced rows', png({ width: 1, height: 1, interlace: 1 }, row)],
    ['an unknown filter', png({ width: 1, height: 1 }, Uint8Array.from([5, 1, 2, 3, 0]))],
    ['an unknown depth', png({ width: 1, height: 1, depth: 4 }, row)],
    ['an unknown colour type', png({ width: 1, height: 1, type: 5 }, row)],
  ])('%s', async (_, bytes) => {
    expect(greys(await opaqueMask(bytes, 'white'))).toStartWith('400 mask: ');
  });

  test('truncated anywhere, or with any byte changed, it fails or gives a mask', async () => {
    for (let length = 0; length < good.length - 12; length++) {
      expect(greys(await opaqueMask(good.subarray(0, length), 'white'))).toStartWith('400 mask: ');
    }
    for (let at = 0; at < good.length; at++) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const made = await opaqueMask(changed, 'white');
      expect(made instanceof Failure ? made.side : 'made').toBeOneOf(['client', 'made']);
    }
  });
});

test('a small file with many pixels yields to other work', async () => {
  const side = 4_096;
  const mask = png({ width: side, height: side }, Buffer.alloc((side * 4 + 1) * side, 4));
  // Makes every turn count as used up, independent of the machine's speed.
  const isOver = Object.getOwnPropertyDescriptor(Turns.prototype, 'isOver') ?? expect.unreachable();
  Object.defineProperty(Turns.prototype, 'isOver', { ...isOver, get: () => true });
  const next = spyOn(Turns.prototype, 'next');
  try {
    expect(await opaqueMask(mask, 'white')).toBeInstanceOf(Uint8Array);
    expect(next.mock.calls.length).toBeGreaterThan(100);
  } finally {
    next.mockRestore();
    Object.defineProperty(Turns.prototype, 'isOver', isOver);
  }
});
