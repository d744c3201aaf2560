import { describe, expect, test } from 'bun:test';
import { MemoryFile } from '../../domain/media/memory-file.ts';
import { sniffMediaType } from '../../domain/media/sniff-media-type.ts';
import { longestTurnMs } from '../../domain/testing/longest-turn.ts';
import { audioDurationMs } from './audio-duration.ts';

const read = (name: string) => Bun.file(new URL(`../../domain/media/testing/audio/${name}`, import.meta.url)).bytes();
const durationOf = (bytes: Uint8Array<ArrayBuffer>, mediaType = sniffMediaType(bytes) ?? 'audio/mpeg') =>
  audioDurationMs(new MemoryFile(bytes), mediaType);

const NAMES = [
  ...['tone.flac', 'tone.mp3', 'vbr-bare.mp3', 'tone.mp4', 'tone.mpeg', 'tone.mpga'],
  ...['tone.m4a', 'tone.ogg', 'opus.ogg', 'tone.wav', 'tone.webm'],
];

describe('a tone of 2.5 seconds', () => {
  test.each(NAMES)('in %s', async (name) => {
    const ms = (await durationOf(await read(name))) ?? 0;
    // Encoders pad the last frame with silence.
    expect(ms).toBeGreaterThanOrEqual(2_480);
    expect(ms).toBeLessThan(2_600);
  });

  test('behind tags of any size', async () => {
    const tag = (bytes: number) =>
      new Uint8Array([
        ...Buffer.from('ID3\x04\0\0', 'latin1'),
        bytes >> 21,
        (bytes >> 14) & 127,
        (bytes >> 7) & 127,
        bytes & 127,
        ...new Uint8Array(bytes),
      ]);
    const tone = await read('tone.mp3');
    const expected = await durationOf(tone);
    const bytes = new Uint8Array(Buffer.concat([tag(3_000_000), tag(0), tone]));
    expect(await durationOf(bytes)).toBe(expected);
  });

  test.each(NAMES)('in %s, cut anywhere, is no longer than declared, or unknown', async (name) => {
    const bytes = await read(name);
    for (let length = 0; length < bytes.length; length += 97) {
      const ms = await durationOf(bytes.slice(0, length), sniffMediaType(bytes) ?? 'audio/mpeg');
      if (ms !== null) expect(ms).toBeLessThan(2_600);
    }
  });

  test.each(NAMES)('in %s with changed bytes has some duration, or an unknown one', async (name) => {
    const bytes = await read(name);
    for (let at = 0; at < Math.min(bytes.length, 1_000); at += 3) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const ms = await durationOf(changed, sniffMediaType(bytes) ?? 'audio/mpeg');
      if (ms !== null) expect(Number.isSafeInteger(ms) && ms > 0).toBe(true);
    }
  });
});

describe('a file whose headers understate its length', () => {
  test('in FLAC is at least as long as its samples uncompressed', async () => {
    const bytes = new Uint8Array(42 + 3_200_000);
    const view = new DataView(bytes.buffer);
    bytes.set(Buffer.from('fLaC\x80\0\0\x22\x10\0\x10\0', 'latin1'));
    // 16,000 samples of 16 bits in one channel, at 16,000 samples a second.
    view.setBigUint64(18, (16_000n << 44n) | (15n << 36n) | 16_000n);
    const ms = (await durationOf(bytes, 'audio/flac')) ?? 0;
    expect(ms).toBeGreaterThan(90_000);
    expect(ms).toBeLessThan(100_001);
  });

  test('in Ogg is at least as long as at the highest rate', async () => {
    const tone = await read('opus.ogg');
    const last = tone.findLastIndex((_, at) => Buffer.from(tone.subarray(at, at + 4)).toString('latin1') === 'OggS');
    const page = tone.slice(last);
    // Pages of 30 KB without a timestamp, before the last one.
    const body = 30_000;
    const filled = new Uint8Array(27 + 118 + body);
    filled.set(page.subarray(0, 27));
    filled.fill(0xff, 6, 14);
    filled[5] = 0;
    filled[26] = 118;
    filled.fill(255, 27, 27 + 117);
    filled[27 + 117] = body - 117 * 255;
    const bytes = Buffer.concat([tone.subarray(0, last), ...Array.from({ length: 70 }, () => filled), page]);
    const ms = (await durationOf(new Uint8Array(bytes))) ?? 0;
    expect(ms).toBeGreaterThan(30_000);
  });
});

describe('an expensive file', () => {
  const filled = (bytes: number, pattern: Buffer) => new Uint8Array(Buffer.alloc(bytes, pattern));
  const box = (type: string, size: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(size);
    bytes.write(type, 4, 'latin1');
    return bytes;
  };
  const MANY = 4 * 1024 * 1024;
  const CASES: readonly (readonly [string, string, Uint8Array<ArrayBuffer>])[] = [
    ['of empty boxes', 'audio/mp4', filled(MANY, box('free', 8))],
    [
      'of boxes of boxes',
      'audio/mp4',
      new Uint8Array(Buffer.concat(Array.from({ length: 50_000 }, (_, index) => box('moov', 8 * (50_000 - index))))),
    ],
    [
      'of a box of 4 GiB',
      'audio/mp4',
      new Uint8Array(Buffer.concat([box('ftyp', 8), box('moov', 0xffff_fff0), box('udta', 0xffff_ff00)])),
    ],
    [
      'of empty blocks of FLAC',
      'audio/flac',
      new Uint8Array(Buffer.concat([Buffer.from('fLaC'), filled(MANY, Buffer.from([1, 0, 0, 0]))])),
    ],
    [
      'of empty chunks of RIFF',
      'audio/wav',
      new Uint8Array(
        Buffer.concat([
          Buffer.from('RIFF\xff\xff\xff\x7fWAVE', 'latin1'),
          filled(MANY, Buffer.from('abcd\0\0\0\0', 'latin1')),
        ]),
      ),
    ],
    ['of empty elements of EBML', 'video/webm', filled(MANY, Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80]))],
    ['of nothing but frame marks', 'audio/mpeg', filled(2 * MANY, Buffer.from([0xff, 0xfb]))],
    ['of zeros', 'audio/mpeg', new Uint8Array(MANY)],
  ];

  test.each(CASES)('%s has an unknown duration, and yields to other work', async (_, mediaType, bytes) => {
    let ms: number | null | undefined;
    const longestMs = await longestTurnMs(async () => {
      ms = await durationOf(bytes, mediaType);
    });
    expect(ms).toBeNull();
    // Usually 10 to 40 ms.
    expect(longestMs).toBeLessThan(1_000);
  });

  test('is closed, even if parsing fails', async () => {
    let closed = 0;
    const bytes = await read('tone.wav');
    const stream = () =>
      new ReadableStream({ pull: (controller) => controller.enqueue(bytes.slice(0, 40)), cancel: () => void closed++ });
    const file = { name: 'a', declaredType: null, size: 40, head: bytes, stream, bytes: async () => bytes };
    expect(await audioDurationMs(file, 'audio/mp4')).toBeNull();
    expect(closed).toBe(1);
  });
});
