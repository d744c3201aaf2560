import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import {
  chunk,
  data,
  header,
  joined,
  type PngFields,
  pngFile,
  SIGNATURE,
} from '../../../domain/media/testing/png-file.ts';
import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';
import { longestTurnMs } from '../../../domain/testing/longest-turn.ts';
import { checkPng } from './check-png.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const check = (bytes: Bytes) => checkPng(new MemoryFile(bytes));
async function problemOf(bytes: Bytes): Promise<string> {
  const checked = await check(bytes);
  return 'problem' in checked ? checked.problem : 'nothing';
}

const END = chunk('IEND');
/** The image data of 5 x 3 pixels of four bytes. */
const DATA = chunk('IDAT', data(3 * 21));
const fileOf = (...chunks: readonly Uint8Array[]) => joined(SIGNATURE, header(), ...chunks);

/** Makes a file that arrives in pieces of this length. */
function inPieces(bytes: Bytes, length: number): UploadedFile {
  const stream = () => {
    let at = 0;
    return new ReadableStream<Bytes>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + length));
        at += length;
      },
    });
  };
  return { name: 'a', declaredType: null, size: bytes.length, head: bytes, stream, bytes: async () => bytes };
}

describe('a PNG file', () => {
  const LEGAL: readonly (readonly [colorType: number, depths: readonly number[]])[] = [
    [0, [1, 2, 4, 8, 16]],
    [2, [8, 16]],
    [3, [1, 2, 4, 8]],
    [4, [8, 16]],
    [6, [8, 16]],
  ];
  test.each(LEGAL)('of colour type %p is accepted at each depth and any size', async (colorType, depths) => {
    const palette = colorType === 3 ? [chunk('PLTE', new Uint8Array(6))] : [];
    for (const bitDepth of depths) {
      for (const [width, height] of [
        [1, 1],
        [3, 7],
        [64, 64],
        [257, 2],
      ] as const) {
        const checked = await check(pngFile({ width, height, bitDepth, colorType }, palette));
        expect(checked).toEqual({ width, height, hasAlpha: colorType === 4 || colorType === 6 });
      }
    }
  });

  test('is refused with other colour types and depths', async () => {
    const legal = new Map(LEGAL);
    for (let colorType = 0; colorType < 9; colorType++) {
      for (let bitDepth = 0; bitDepth <= 32; bitDepth++) {
        if (legal.get(colorType)?.includes(bitDepth)) continue;
        expect(await problemOf(pngFile({ bitDepth, colorType }))).toBe('has an invalid header');
      }
    }
  });

  test('is accepted interlaced at any small size', async () => {
    const passes = [
      [0, 0, 8, 8],
      [4, 0, 8, 8],
      [0, 4, 4, 8],
      [2, 0, 4, 4],
      [0, 2, 2, 4],
      [1, 0, 2, 2],
      [0, 1, 1, 2],
    ] as const;
    for (let width = 1; width < 12; width++) {
      for (let height = 1; height < 12; height++) {
        let bytes = 0;
        for (const [x, y, stepX, stepY] of passes) {
          const columns = Math.max(0, Math.ceil((width - x) / stepX));
          const rows = Math.max(0, Math.ceil((height - y) / stepY));
          if (columns > 0) bytes += rows * (1 + columns * 4);
        }
        const of = (length: number) =>
          joined(SIGNATURE, header({ width, height, interlace: 1 }), chunk('IDAT', data(length)), END);
        expect(await check(of(bytes))).toEqual({ width, height, hasAlpha: true });
        expect(await problemOf(of(bytes - 1))).toContain('less image data');
        expect(await problemOf(of(bytes + 1))).toContain('more image data');
      }
    }
  });

  test('is accepted with further chunks, and transparency among them is detected', async () => {
    const colors: Partial<PngFields> = { colorType: 2 };
    const more = [chunk('gAMA', new Uint8Array(4)), chunk('teXt', Buffer.from('Hello')), chunk('prVt')];
    expect(await check(pngFile(colors, more))).toMatchObject({ hasAlpha: false });
    expect(await check(pngFile(colors, [...more, chunk('tRNS', new Uint8Array(6))]))).toMatchObject({ hasAlpha: true });
    expect(await check(fileOf(DATA, chunk('tIME', new Uint8Array(7)), END))).toMatchObject({ width: 5 });
  });

  test('is accepted with image data in many chunks, split anywhere, some of them empty', async () => {
    const compressed = data(63);
    for (let at = 0; at <= compressed.length; at++) {
      const parts = [compressed.slice(0, at), new Uint8Array(0), compressed.slice(at)];
      expect(await check(fileOf(...parts.map((part) => chunk('IDAT', part)), END))).toMatchObject({
        width: 5,
        height: 3,
      });
    }
  });

  test('is the same in pieces of any length', async () => {
    const whole = pngFile({ width: 40, height: 40 }, [chunk('teXt', new Uint8Array(300))]);
    for (let length = 1; length < whole.length; length += length < 40 ? 1 : 17) {
      expect(await checkPng(inPieces(whole, length))).toEqual({ width: 40, height: 40, hasAlpha: true });
      expect(await checkPng(inPieces(joined(whole, Uint8Array.of(0)), length))).toHaveProperty('problem');
    }
  });
});

describe('a file is refused for', () => {
  const compressed = data(63);
  const lie = (fields: Partial<PngFields>) => joined(SIGNATURE, header(fields), DATA, END);
  const wrongCrc = (bytes: Bytes) => {
    const changed = bytes.slice();
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    return changed;
  };
  const CASES: readonly (readonly [string, Bytes, string])[] = [
    ['nothing', new Uint8Array(0), 'truncated'],
    ['another kind of file', Uint8Array.from(Buffer.from('GIF89a and so on')), 'not a PNG file'],
    ['a signature alone', SIGNATURE, 'truncated'],
    ['a file without a header', joined(SIGNATURE, DATA, END), 'does not begin with the header'],
    ['a header of the wrong length', joined(SIGNATURE, chunk('IHDR', new Uint8Array(12)), DATA, END), 'does not begin'],
    ['a second header', fileOf(header(), DATA, END), 'two headers'],
    ['a header with a wrong checksum', joined(SIGNATURE, wrongCrc(header()), DATA, END), 'checksum of its chunk IHDR'],
    ['a size of zero pixels', lie({ width: 0 }), 'invalid size'],
    ['a size beyond all limits', lie({ width: 0xffff_ffff, height: 1 }), 'invalid size'],
    ['one pixel too many', lie({ width: 4096 * 4096 + 1, height: 1 }), 'too large'],
    ['an unknown compression method', lie({ compression: 1 }), 'invalid header'],
    ['an unknown filter method', lie({ filter: 1 }), 'invalid header'],
    ['an unknown interlace method', lie({ interlace: 2 }), 'invalid header'],
    ['a size larger than its image data', lie({ height: 4 }), 'less image data'],
    ['a size smaller than its image data', lie({ height: 2 }), 'more image data'],
    ['a width larger than its image data', lie({ width: 6 }), 'less image data'],
    [
      'a row with an unknown filter',
      fileOf(chunk('IDAT', Uint8Array.from(deflateSync(new Uint8Array(63).fill(5)))), END),
      'row is invalid',
    ],
    ['no image data', fileOf(END), 'no image data'],
    ['image data in two places', fileOf(DATA, chunk('tIME', new Uint8Array(7)), DATA, END), 'not contiguous'],
    ['truncated image data', fileOf(chunk('IDAT', compressed.slice(0, -3)), END), 'cannot be inflated'],
    ['invalid image data', fileOf(chunk('IDAT', new Uint8Array(50).fill(7)), END), 'cannot be inflated'],
    ['data after the image data', fileOf(chunk('IDAT', joined(compressed, Uint8Array.of(1, 2))), END), 'ends wrongly'],
    ['image data with a wrong checksum', fileOf(chunk('IDAT', wrongCrc(compressed)), END), 'cannot be inflated'],
    ['a chunk with a wrong checksum', fileOf(wrongCrc(DATA), END), 'checksum of its chunk IDAT'],
    ['a chunk that is longer than the file', fileOf(DATA.slice(0, -20)), 'truncated'],
    ['a chunk of 4 GB', fileOf(joined(Uint8Array.of(255, 255, 255, 255), Buffer.from('IDAT'))), 'length of its chunk'],
    ['a chunk without a valid type', fileOf(chunk('ID T'), END), 'an invalid type'],
    ['an unknown critical chunk', fileOf(chunk('NEWS'), DATA, END), 'chunk NEWS'],
    ['an end chunk with data', fileOf(DATA, chunk('IEND', Uint8Array.of(1))), 'last chunk'],
    ['a file without its end', fileOf(DATA), 'truncated'],
    ['a page appended to it', joined(fileOf(DATA, END), Buffer.from('<script>')), 'after the end of the image'],
    ['an archive appended to it', joined(fileOf(DATA, END), Buffer.from('PK\x05\x06')), 'after the end of the image'],
    ['one byte too many', joined(fileOf(DATA, END), Uint8Array.of(0)), 'after the end of the image'],
    ['colours without a palette', joined(SIGNATURE, header({ colorType: 3 }), DATA, END), 'no palette'],
    [
      'a palette in greyscale',
      joined(SIGNATURE, header({ colorType: 0 }), chunk('PLTE', new Uint8Array(3)), DATA, END),
      'no valid palette',
    ],
    [
      'a palette of 17 colours for 16',
      joined(SIGNATURE, header({ colorType: 3, bitDepth: 4 }), chunk('PLTE', new Uint8Array(51)), DATA, END),
      'no valid palette',
    ],
    ['transparency after the image data', fileOf(DATA, chunk('tRNS', new Uint8Array(2)), END), 'transparency'],
  ];

  test.each(CASES)('%s', async (_, bytes, problem) => expect(await problemOf(bytes)).toContain(problem));

  test('being truncated anywhere', async () => {
    const whole = pngFile({ width: 20, height: 20 });
    for (let length = 0; length < whole.length; length++)
      expect(await problemOf(whole.slice(0, length))).not.toBe('nothing');
  });

  test('any changed bit', async () => {
    const whole = pngFile({ width: 4, height: 4 });
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const changed = whole.slice();
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await problemOf(changed)).not.toBe('nothing');
    }
  });
});

describe('an expensive file', () => {
  const scattered = Array.from(data(63), (byte) => chunk('IDAT', Uint8Array.of(byte)));
  const CASES: readonly (readonly [string, Bytes, string])[] = [
    ['500 MB in 500 KB', fileOf(chunk('IDAT', data(500_000_000)), END), 'more image data'],
    ['the largest accepted image', pngFile({ width: 4096, height: 4096, bitDepth: 16 }), 'nothing'],
    ['the most rows', pngFile({ width: 1, height: 4096 * 4096, bitDepth: 1, colorType: 0 }), 'nothing'],
    ['empty chunks', fileOf(...Array.from({ length: 60_000 }, () => chunk('IDAT')), ...scattered, END), 'nothing'],
    [
      'too many chunks',
      fileOf(...Array.from({ length: 65_537 }, () => chunk('IDAT')), DATA, END),
      'more than 65536 chunks',
    ],
  ];

  test.each(CASES)('%s: yields to other work', async (_, bytes, problem) => {
    let found = '';
    const longestMs = await longestTurnMs(async () => {
      found = await problemOf(bytes);
    });
    expect(found).toContain(problem);
    // Usually 4 to 20 ms.
    expect(longestMs).toBeLessThan(500);
  });
});
