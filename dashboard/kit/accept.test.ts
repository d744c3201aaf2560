import { expect, test } from 'bun:test';
import { isAccepted } from './accept.ts';

test.each([
  ['notes.JSON', '', '.json, .yaml', true],
  ['notes.json.exe', '', '.json', false],
  ['a.png', 'image/png', 'image/*', true],
  ['a', 'imagex/png', 'image/*', false],
  ['a.wav', 'audio/wav', 'audio/mpeg,audio/wav', true],
  ['a.wav', '', 'audio/wav', false],
  ['anything', '', '', true],
])('%p of type %p is taken by %p: %p', (name, type, accept, isTaken) => {
  expect(isAccepted({ name, type }, accept)).toBe(isTaken);
});
