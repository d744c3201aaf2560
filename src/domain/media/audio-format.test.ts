import { describe, expect, test } from 'bun:test';
import { Failure } from '../failure/failure.ts';
import { type AudioFormat, audioFormatOf } from './audio-format.ts';
import { MemoryFile } from './memory-file.ts';

const FILES: Readonly<Record<string, AudioFormat>> = {
  'tone.flac': { format: 'flac', mediaType: 'audio/flac' },
  'tone.mp3': { format: 'mp3', mediaType: 'audio/mpeg' },
  'vbr-bare.mp3': { format: 'mp3', mediaType: 'audio/mpeg' },
  'tone.mp4': { format: 'mp4', mediaType: 'video/mp4' },
  'tone.mpeg': { format: 'mpeg', mediaType: 'video/mpeg' },
  'tone.mpga': { format: 'mp3', mediaType: 'audio/mpeg' },
  'tone.m4a': { format: 'm4a', mediaType: 'audio/mp4' },
  'tone.ogg': { format: 'ogg', mediaType: 'audio/ogg' },
  'opus.ogg': { format: 'ogg', mediaType: 'audio/ogg' },
  'tone.wav': { format: 'wav', mediaType: 'audio/wav' },
  'tone.webm': { format: 'webm', mediaType: 'video/webm' },
};

test.each(Object.entries(FILES))('%s', async (name, format) => {
  const bytes = await Bun.file(new URL(`testing/audio/${name}`, import.meta.url)).bytes();
  expect(audioFormatOf(new MemoryFile(bytes, { name: 'voice.txt', declaredType: 'text/plain' }), 'file')).toEqual(
    format,
  );
});

describe('an unsupported file is refused, naming the part and the formats', () => {
  test.each([
    ['', 'empty'],
    ['Hello', 'match no known format'],
    ['%PDF-1.7', 'application/pdf'],
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xf1\x50\x80', 'audio/aac'],
    ['\0\0\0\x14ftypqt  ', 'video/quicktime'],
    ['\xff\xff\xff\xff', 'match no known format'],
  ])('%p', (head, said) => {
    const refusal = audioFormatOf(new MemoryFile(Uint8Array.from(Buffer.from(head, 'latin1'))), 'file');
    if (!(refusal instanceof Failure)) throw new Error('it is taken');
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_value', details: { param: 'file' } });
    expect(refusal.message).toContain(said);
    if (head !== '') expect(refusal.message).toContain('flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav, webm');
  });
});
