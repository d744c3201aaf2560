import { describe, expect, test } from 'bun:test';
import { sniffMediaType } from './sniff-media-type.ts';

/** Characters as the bytes of the same number. */
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

describe('what the bytes say', () => {
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
    ['audio/ogg', 'OggS\0\x02'],
    ['audio/mp4', '\0\0\0\x20ftypM4A \0'],
    ['video/mp4', '\0\0\0\x20ftypisom\0'],
    ['video/quicktime', '\0\0\0\x14ftypqt  '],
    ['video/webm', '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x82\x84webm'],
    ['video/x-matroska', '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x82\x88matroska'],
  ])('%s', (expected, head) => expect(sniffMediaType(bytes(head))).toBe(expected));

  test.each(['', '\xff', '\xff\xff\xff\xff', 'RIFF', '<svg>', '{}', '\0\0\0\0'])('%p says nothing', (head) => {
    expect(sniffMediaType(bytes(head))).toBeNull();
  });
});
