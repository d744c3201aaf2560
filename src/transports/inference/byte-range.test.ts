import { expect, test } from 'bun:test';
import { byteRange } from './media-route.ts';

test.each([
  ['bytes=0-', { start: 0, end: 10 }],
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=3-5', { start: 3, end: 6 }],
  ['bytes=9-9', { start: 9, end: 10 }],
  ['bytes=5-999999999999999', { start: 5, end: 10 }],
  ['Bytes = 3-5', { start: 3, end: 6 }],
  ['bytes=-1', { start: 9, end: 10 }],
  ['bytes=-10', { start: 0, end: 10 }],
  ['bytes=-11', { start: 0, end: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=10-20', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  [null, null],
  ['', null],
  ['bytes=', null],
  ['bytes=-', null],
  ['bytes=5-3', null],
  ['bytes=0-1,3-4', null],
  ['items=0-1', null],
  ['bytes=a-b', null],
  ['bytes=0x1-2', null],
  ['bytes=1.5-2', null],
  ['bytes=9999999999999999-', null],
])('%p of ten bytes', (header, expected) => {
  expect(byteRange(header, 10)).toEqual(expected as never);
});
