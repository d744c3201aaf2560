import { expect, test } from 'bun:test';
import { createCipheriv, randomBytes } from 'node:crypto';
import { freeBytes, ownBufferOf } from './own-bytes.ts';

test('bytes are freed if they have a buffer of their own', () => {
  const cipher = createCipheriv('aes-256-gcm', randomBytes(32), randomBytes(12));
  for (const bytes of [new Uint8Array(100), Buffer.alloc(100_000), cipher.update(new Uint8Array(100_000))]) {
    expect(ownBufferOf(bytes)).toBe(bytes.buffer as ArrayBuffer);
    freeBytes(bytes);
    expect(bytes.length).toBe(0);
  }
});

test('bytes that share a buffer are left alone', () => {
  const whole = new Uint8Array(100).fill(7);
  for (const bytes of [whole.subarray(10), whole.subarray(0, 90)]) {
    const before = [...bytes];
    expect(ownBufferOf(bytes)).toBeNull();
    freeBytes(bytes);
    expect([...bytes]).toEqual(before);
  }
});
