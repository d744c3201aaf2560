import { describe, expect, test } from 'bun:test';
import type { SpeechFormat } from '../../../domain/audio/speech.ts';
import { wavHeader } from '../../../domain/audio/wav.ts';
import { audioMeter } from './audio-meter.ts';

/** A silent frame of MPEG-2 layer III: 24 kHz, one channel, 32 kbit/s, 24 ms. */
const MP3_FRAME = Uint8Array.from([0xff, 0xf3, 0x44, 0xc4, ...new Array<number>(92).fill(0)]);
const ID3 = Uint8Array.from([...Buffer.from('ID3\x04\0\0'), 0, 0, 1, 1, ...new Array<number>(129).fill(0xff)]);
/** A frame of 16 bytes with 1,024 samples at 24 kHz. */
const ADTS_FRAME = Uint8Array.from([0xff, 0xf1, 0x58, 0x40, 0x02, 0x1f, 0xfc, ...new Array<number>(9).fill(0)]);

function oggPage(samples: bigint, body: number): Uint8Array {
  const page = Buffer.alloc(28 + body);
  page.write('OggS', 0, 'latin1');
  page.writeBigInt64LE(samples, 6);
  page[26] = 1;
  page[27] = body;
  return page;
}

function flac(samples: bigint): Uint8Array {
  const head = Buffer.alloc(64);
  head.write('fLaC', 0, 'latin1');
  head.writeBigUInt64BE((24_000n << 44n) | (1n << 36n) | samples, 18);
  return head;
}

const FILES: readonly (readonly [SpeechFormat, Uint8Array, number | null])[] = [
  ['pcm', new Uint8Array(48_000), 1_000],
  ['pcm', new Uint8Array(1), 1],
  ['wav', Buffer.concat([wavHeader(), new Uint8Array(24_000)]), 500],
  ['wav', Buffer.from('no wav at all, but long enough to be one'), null],
  ['mp3', Buffer.concat([MP3_FRAME, MP3_FRAME, MP3_FRAME]), 72],
  ['mp3', Buffer.concat([ID3, MP3_FRAME, Buffer.from('lost'), MP3_FRAME]), 48],
  ['mp3', Buffer.from('nothing of it'), null],
  ['aac', Buffer.concat([ADTS_FRAME, ADTS_FRAME, ADTS_FRAME]), 128],
  ['opus', Buffer.concat([oggPage(0n, 19), oggPage(48_000n, 200), oggPage(-1n, 40), oggPage(72_000n, 3)]), 1_500],
  ['opus', Buffer.from('OggOggS'), null],
  ['flac', flac(36_000n), 1_500],
  ['flac', flac(0n), null],
];

describe('the duration of audio, wherever it is split', () => {
  for (const [index, [format, bytes, expected]] of FILES.entries()) {
    test(`${format}, file ${index}`, () => {
      const step = bytes.length > 10_000 ? 4_001 : 1;
      for (let cut = 0; cut <= bytes.length; cut += step) {
        const meter = audioMeter(format);
        meter.push(bytes.subarray(0, cut));
        meter.push(bytes.subarray(cut));
        expect(meter.durationMs).toBe(expected);
      }
    });
  }

  test('is unknown for an unknown format', () => {
    const meter = audioMeter(null);
    meter.push(new Uint8Array(100));
    expect(meter.durationMs).toBeNull();
  });

  test('survives frames with a length of zero', () => {
    const meter = audioMeter('aac');
    meter.push(Uint8Array.from({ length: 5_000 }, (_, index) => [0xff, 0xf1, 0x58, 0, 0, 0, 0][index % 7] ?? 0));
    expect(meter.durationMs).toBeNull();
  });
});
