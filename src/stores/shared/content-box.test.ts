import { expect, test } from 'bun:test';
import { createContentBox, SEALED_CONTENT_OVERHEAD_BYTES } from './content-box.ts';
import { createSecretBox, SecretBoxError } from './secret-box.ts';

const box = createContentBox('master');
const PLACE = ['acme', 'resp_1', 'input'];

test('sealed content opens to the same text, in another process too', () => {
  for (const plain of ['', '[]', 'Grüße 🚦', 'x'.repeat(1_000_000)]) {
    expect(createContentBox('master').open(box.seal(plain, PLACE), PLACE)).toBe(plain);
  }
});

test('sealed bytes open to the same bytes, whether or not they are a text', () => {
  const plain = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(new Uint8Array(box.openBytes(box.seal(plain, PLACE), PLACE))).toEqual(plain);
  expect(() => box.openBytes(box.seal(plain, PLACE), ['elsewhere'])).toThrow(SecretBoxError);
});

test('sealing adds a fixed number of bytes', () => {
  for (const plain of ['', 'Grüße 🚦', 'x'.repeat(10_000)]) {
    expect(box.seal(plain, PLACE).length).toBe(Buffer.byteLength(plain) + SEALED_CONTENT_OVERHEAD_BYTES);
  }
});

test('the same content is never sealed to the same bytes', () => {
  expect(box.seal('hello', PLACE)).not.toEqual(box.seal('hello', PLACE));
});

test('content opens only in its own place, however the parts of the place are split', () => {
  const sealed = box.seal('hello', ['ac', 'me']);
  for (const place of [['acme'], ['a', 'cme'], ['ac', 'me', ''], ['ac","me']]) {
    expect(() => box.open(sealed, place)).toThrow(SecretBoxError);
  }
});

test('another secret is refused with the place and advice, and without the content', () => {
  const sealed = box.seal('a private word', PLACE);
  expect(() => createContentBox('other').open(sealed, PLACE)).toThrow(/resp_1.*SWITCHYARD_SECRET.*earlier secret/);
});

test('changed, cut or unversioned bytes are refused', () => {
  const sealed = box.seal('hello', PLACE);
  const changed = sealed.map((byte, index) => (index === sealed.length - 20 ? byte ^ 1 : byte));
  for (const broken of [changed, sealed.subarray(0, -1), sealed.subarray(0, 1), sealed.subarray(1), new Uint8Array()]) {
    expect(() => box.open(broken, PLACE)).toThrow(SecretBoxError);
  }
});

test('the two boxes of one secret do not share a key', () => {
  const context = JSON.stringify(PLACE);
  const secret = Buffer.from(createSecretBox('master').seal('hello', context).slice('v1.'.length), 'base64url');
  expect(() => box.open(Buffer.concat([Buffer.of(1), secret]), PLACE)).toThrow(SecretBoxError);
});

test('an empty master secret is refused', () => {
  expect(() => createContentBox('')).toThrow('SWITCHYARD_SECRET');
});
