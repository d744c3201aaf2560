import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { freeBytes } from '../../domain/own-bytes.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NO_BYTES = new Uint8Array(0);
/** Ciphertext from this size is freed once it is copied; the garbage collector takes care of smaller ones. */
const LARGE_BYTES = 64 * 1024;

/** The number of bytes that encryption adds: the nonce in front and the tag behind. */
export const ENCRYPTION_OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/** Derives a key for one purpose with HKDF-SHA256. Keys with different labels reveal nothing about each other. */
export function deriveKey(masterSecret: string, label: string): Uint8Array {
  if (masterSecret === '')
    throw new Error('The master secret is empty: set SWITCHYARD_SECRET to a long random string.');
  return new Uint8Array(hkdfSync('sha256', masterSecret, '', label, KEY_BYTES));
}

/**
 * Encrypts with AES-256-GCM; the result is nonce, ciphertext and tag. The random 96-bit nonce is safe for 2^32 texts per key (NIST SP
 * 800-38D, 8.3). `context` is authenticated but not included in the result.
 *
 * @param head is put in front of the result
 */
export function encrypt(key: Uint8Array, plain: string | Uint8Array, context: string, head = NO_BYTES): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
  const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  const whole = Buffer.concat([head, nonce, body, cipher.final(), cipher.getAuthTag()]);
  if (body.length >= LARGE_BYTES) freeBytes(body);
  return whole;
}

/** Returns the plain text; `null` if the key, the context or the ciphertext does not match. */
export function decrypt(key: Uint8Array, body: Uint8Array, context: string): string | null {
  return decryptBytes(key, body, context)?.toString('utf8') ?? null;
}

/** Like `decrypt`, for binary content. */
export function decryptBytes(key: Uint8Array, body: Uint8Array, context: string): Buffer | null {
  if (body.length < ENCRYPTION_OVERHEAD_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(body.subarray(body.length - TAG_BYTES));
  const plain = decipher.update(body.subarray(NONCE_BYTES, body.length - TAG_BYTES));
  try {
    // GCM has no last block, so nothing is copied.
    const last = decipher.final();
    return last.length === 0 ? plain : Buffer.concat([plain, last]);
  } catch {
    return null;
  }
}
