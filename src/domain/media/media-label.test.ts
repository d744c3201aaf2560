import { expect, test } from 'bun:test';
import { mediaTypeByBytes, registeredMediaType } from './media-label.ts';

/** Converts characters to bytes with their code points. */
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const HEADS = {
  PNG: '\x89PNG\r\n\x1a\n',
  MP4: '\0\0\0\x20ftypisom\0',
  WebM: '\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1f\x42\x82\x84webm',
  Ogg: 'OggS\0\x02',
  unknown: '?',
} as const;

test.each([
  ['image/jpg', 'image/jpeg'],
  [' Image/JPG; charset=binary', 'image/jpeg'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/mp3', 'audio/mpeg'],
  ['application/x-pdf', 'application/pdf'],
  ['application/octet-stream', null],
  ['image/*', null],
  ['png', null],
  ['', null],
  [null, null],
  ['constructor/prototype', 'constructor/prototype'],
])('the label %p becomes the registered %p', (label, expected) => expect(registeredMediaType(label)).toBe(expected));

test.each([
  ['image/jpeg', 'PNG', 'image/png'],
  ['application/pdf', 'PNG', 'image/png'],
  [null, 'PNG', 'image/png'],
  ['audio/x-wav', 'unknown', 'audio/wav'],
  [null, 'unknown', null],
  // Only the label tells whether such a container has only sound.
  ['audio/mp4', 'MP4', 'audio/mp4'],
  ['audio/m4a', 'MP4', 'audio/mp4'],
  ['video/quicktime', 'MP4', 'video/quicktime'],
  ['audio/webm', 'WebM', 'audio/webm'],
  ['audio/opus', 'Ogg', 'audio/opus'],
  ['audio/mpeg', 'Ogg', 'audio/ogg'],
] as const)('the label %p of a file with %s bytes becomes %p', (label, head, expected) => {
  expect(mediaTypeByBytes(label, bytes(HEADS[head]))).toBe(expected);
});
