import { describe, expect, test } from 'bun:test';
import { mediaTypeOf } from './media-type.ts';

/** Converts characters to bytes of the same value. */
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const PNG = bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');

describe('the declared type', () => {
  test.each([
    ['image/png', 'image/png'],
    ['IMAGE/WebP; charset=binary', 'image/webp'],
    ['text/html; charset=utf-8', 'text/html'],
    ['image/jpg', 'image/jpeg'],
    ['audio/x-wav', 'audio/wav'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', undefined],
  ])('%s', (said, expected) => expect(mediaTypeOf(said, bytes('?'))).toBe(expected ?? said));

  test.each([undefined, '', 'png', 'application/octet-stream', 'binary/octet-stream; x=1', '*/*', 'text/plain'])(
    '%p is ignored in favour of the bytes',
    (said) => expect(mediaTypeOf(said, PNG)).toBe('image/png'),
  );

  test('text stays text, and an unknown type is bytes', () => {
    expect(mediaTypeOf('text/plain; charset=utf-8', bytes('BMW builds cars, OggS too'))).toBe('text/plain');
    expect(mediaTypeOf(undefined, bytes('BMW builds cars'))).toBe('application/octet-stream');
  });
});
