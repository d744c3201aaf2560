import { expect, test } from 'bun:test';
import { audioKind, looksLikeText } from './audio-kind.ts';
import { readWavHeader, wavHeader } from './wav.ts';

test('a written header is read once it is complete', () => {
  const header = wavHeader(4_800);
  for (let length = 0; length < header.length; length++) {
    expect(readWavHeader(header.subarray(0, length))).toBeUndefined();
  }
  expect(readWavHeader(header)).toEqual({
    ...{ samples: 'integers', channels: 1, sampleRate: 24_000, bitsPerSample: 16, bytesPerSecond: 48_000 },
    ...{ dataStart: 44, dataBytes: 4_800 },
  });
  expect(readWavHeader(wavHeader())).toMatchObject({ dataBytes: null });
});

test('other chunks before the samples are skipped, including padded ones', () => {
  const plain = wavHeader(2);
  const note = Buffer.concat([Buffer.from('LIST'), Buffer.from([3, 0, 0, 0]), Buffer.from('abc\0')]);
  const bytes = Buffer.concat([plain.subarray(0, 36), note, plain.subarray(36)]);
  expect(readWavHeader(bytes)).toMatchObject({ dataStart: 44 + note.length, dataBytes: 2 });
});

test('a missing or inconsistent header gives null', () => {
  expect(readWavHeader(Buffer.from('ID3 not a RIFF file at all'))).toBeNull();
  const broken: readonly ((header: Buffer) => void)[] = [
    (header) => header.writeUInt32LE(2, 16),
    (header) => header.writeUInt16LE(0, 22),
    (header) => header.writeUInt16LE(99, 22),
    (header) => header.writeUInt32LE(0, 24),
    (header) => header.writeUInt32LE(4_000_000_000, 24),
    (header) => header.write('none', 12, 'latin1'),
  ];
  for (const breakIt of broken) {
    const header = Buffer.from(wavHeader(10));
    breakIt(header);
    expect(readWavHeader(Buffer.concat([header, Buffer.alloc(128 * 1024)]))).toBeNull();
  }
});

test('a file is recognized by its first bytes', () => {
  const cases = {
    wav: [...wavHeader()],
    mp3: [0xff, 0xf3, 0xc4, 0xc4],
    flac: [...Buffer.from('fLaC')],
    opus: [...Buffer.from('OggS')],
    aac: [0xff, 0xf1, 0x50, 0x80],
  };
  for (const [kind, bytes] of Object.entries(cases)) expect(audioKind(Uint8Array.from(bytes))).toBe(kind as never);
  expect(audioKind(Buffer.from('ID3\x04'))).toBe('mp3');
  for (const bytes of [[], [0xff], [0xff, 0xff], [0xff, 0xea], [0, 0], [...Buffer.from('{"a"')]]) {
    expect(audioKind(Uint8Array.from(bytes))).toBeNull();
  }
});

test('text is distinguished from samples', () => {
  expect(looksLikeText(Buffer.from('<html>\r\n\t no'))).toBe(true);
  expect(looksLikeText(Buffer.from([0, 0, 0, 0]))).toBe(false);
  expect(looksLikeText(Buffer.alloc(0))).toBe(false);
});
