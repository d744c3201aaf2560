import { expect, test } from 'bun:test';
import { createSecretBox, SecretBoxError } from './secret-box.ts';

const box = createSecretBox('master');

test('a sealed text opens to the same text', () => {
  for (const plain of ['', 'sk-123', 'ключ 🔑', 'x'.repeat(10_000)]) {
    expect(box.open(box.seal(plain, 'channel:a'), 'channel:a')).toBe(plain);
  }
});

test('sealed text is versioned, url-safe, and never the same twice', () => {
  const sealed = box.seal('sk-123', 'channel:a');
  expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]+$/);
  expect(box.seal('sk-123', 'channel:a')).not.toBe(sealed);
});

test('another process with the same secret opens it', () => {
  expect(createSecretBox('master').open(box.seal('sk-123', 'channel:a'), 'channel:a')).toBe('sk-123');
});

test('a text moved to another row does not open', () => {
  expect(() => box.open(box.seal('sk-123', 'channel:a'), 'channel:b')).toThrow(SecretBoxError);
});

test('another secret is refused with the place and advice', () => {
  const sealed = box.seal('sk-123', 'channel:openai-main');
  expect(() => createSecretBox('other').open(sealed, 'channel:openai-main')).toThrow(
    /"channel:openai-main".*SWITCHYARD_SECRET.*earlier secret/,
  );
});

test('a changed, cut or unversioned text is refused', () => {
  const sealed = box.seal('sk-123', 'channel:a');
  const middle = sealed.length >> 1;
  const flipped = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1);
  for (const broken of [flipped, sealed.slice(0, -4), 'v1.', 'v1.AAAA', 'v2.AAAA', 'sk-123']) {
    expect(() => box.open(broken, 'channel:a')).toThrow(SecretBoxError);
  }
});

test('an empty master secret is refused', () => {
  expect(() => createSecretBox('')).toThrow('SWITCHYARD_SECRET');
});
