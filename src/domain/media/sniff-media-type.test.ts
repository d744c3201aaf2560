import { describe, expect, test } from 'bun:test';
import { sniffMediaType } from './sniff-media-type.ts';

/** Converts characters to bytes with their code points. */
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('the media type of the bytes', () => {
  test.each([
    ['image/jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
    ['image/gif', 'GIF89a\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8 '],
    ['image/bmp', 'BM\x36\0\x0c\0\0\0\0\0'],
    ['image/avif', '\0\0\0\x1cftypavif\0\0\0\0'],
    ['image/heic', '\0\0\0\x18ftypheic'],
    ['application/pdf', '%PDF-1.7\n%\xe2\xe3'],
    ['audio/wav', 'RIFF\x24\0\0\0WAVEfmt '],
    ['audio/mpeg', 'ID3\x04\0'],
    ['audio/mpeg', '\xff\xfb\x90\x64'],
    ['audio/aac', '\xff\xf1\x50\x80'],
    ['audio/flac', 'fLaC\0\0\0\x22'],
    ['audio/flac', 'fLaC\x80\0\0\x22'],
    ['audio/flac', 'ID3\x04\0\0\0\0\0\x02\0\0fLaC\0'],
    ['audio/aac', 'ID3\x04\0\0\0\0\0\x02\0\0\xff\xf1\x50\x80'],
    ['audio/mpeg', 'ID3\x04\0\0\0\0\0\x02\0\0\xff\xfb\x90\x64'],
    ['audio/mpeg', '\xff\xf3\x40\xc4'],
    ['audio/mpeg', '\xff\xe3\x18\xc4'],
    ['audio/wav', 'RF64\xff\xff\xff\xffWAVEds64'],
    ['audio/wav', 'BW64\xff\xff\xff\xffWAVEds64'],
    ['audio/wav', 'RIFX\0\0\0\x24WAVEfmt '],
    ['audio/aac', 'ADIF\0'],
    ['audio/aiff', 'FORM\0\0\0\x24AIFFCOMM'],
    ['audio/aiff', 'FORM\0\0\0\x24AIFCFVER'],
    ['audio/amr', '#!AMR\n'],
    ['image/gif', 'GIF87a\x01\0'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8L'],
    ['image/webp', 'RIFF\x24\0\0\0WEBPVP8X'],
    ['image/jpeg', '\xff\xd8\xff\xe1\0\x10Exif'],
    ['image/jpeg', '\xff\xd8\xff\xdb\0\x43'],
    ['image/tiff', 'II+\0\x08\0'],
    ['image/heic', '\0\0\0\x1cftypmif1\0\0\0\0mif1heicmiaf'],
    ['image/avif', '\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf'],
    ['image/heif', '\0\0\0\x14ftypmif1\0\0\0\0mif1heic'],
    ['image/avif', '\0\0\0\x1cftypavis\0\0\0\0'],
    ['application/pdf', '\xef\xbb\xbf%PDF-1.4'],
    ['application/pdf', '\r\n%PDF-1.4'],
    ['video/ogg', `OggS\0\x02${'\0'.repeat(20)}\x01\x2a\x80theora`],
    ['audio/ogg', `OggS\0\x02${'\0'.repeat(20)}\x01\x13OpusHead`],
    ['audio/mp4', '\0\0\0\x20ftypM4B \0'],
    ['audio/mp4', '\0\0\0\x20ftypF4A \0'],
    ['video/mp4', '\0\0\0\x20ftypM4V \0'],
    ['video/mp4', '\0\0\0\x20ftypmp42\0'],
    ['video/mp4', '\0\0\0\x20ftypdash\0'],
    ['video/3gpp', '\0\0\0\x18ftyp3gp4'],
    ['video/3gpp', '\0\0\0\x18ftyp3gs7'],
    ['video/3gpp2', '\0\0\0\x18ftyp3g2a'],
    ['video/quicktime', '\0\0\x10\0moov'],
    ['audio/ogg', 'OggS\0\x02'],
    ['audio/mp4', '\0\0\0\x20ftypM4A \0'],
    ['video/mp4', '\0\0\0\x20ftypisom\0'],
    ['video/quicktime', '\0\0\0\x14ftypqt  '],
    ['video/webm', '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x82\x84webm'],
    ['video/x-matroska', '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x82\x88matroska'],
  ])('%s', (expected, head) => expect(sniffMediaType(bytes(head))).toBe(expected));

  test.each(['', '\xff', '\xff\xff\xff\xff', 'RIFF', '<svg>', '{}', '\0\0\0\0', 'fLaC\x04', 'fLaCs are free'])(
    'is null for %p',
    (head) => {
      expect(sniffMediaType(bytes(head))).toBeNull();
    },
  );
});
