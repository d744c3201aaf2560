import { createHmac } from 'node:crypto';
import { decryptBytes, deriveKey, ENCRYPTION_OVERHEAD_BYTES, encrypt } from './aes-gcm.ts';
import { SecretBoxError } from './secret-box.ts';

const VERSION = 1;
const VERSION_HEAD = Uint8Array.of(VERSION);

/** The number of bytes that sealing adds. */
export const SEALED_CONTENT_OVERHEAD_BYTES = 1 + ENCRYPTION_OVERHEAD_BYTES;

/**
 * Encrypts clients' content, which is larger and far more frequent than the secrets of a `SecretBox`. The result is binary: base64 is a
 * third larger and took 2.5 times as long (181 instead of 71 µs for 100 KB). Each place has its own derived key (an HMAC, 1 µs), since a
 * busy gateway would exceed the 2^32 texts that are safe with one key within weeks.
 */
export interface ContentBox {
  /** Binds the content to `place`, such as account, row and column, from the outside in. It does not open for any other place. */
  seal(plain: string | Uint8Array, place: readonly string[]): Uint8Array;
  /** Decrypts text. Throws a `SecretBoxError`, without any content, if the secret, the place or the bytes do not match. */
  open(sealed: Uint8Array, place: readonly string[]): string;
  /** Like `open`, for binary content. */
  openBytes(sealed: Uint8Array, place: readonly string[]): Uint8Array;
}

export function createContentBox(masterSecret: string): ContentBox {
  const rootKey = deriveKey(masterSecret, 'switchyard content box v1');
  return {
    seal(plain, place) {
      const context = contextOf(place);
      return encrypt(keyFor(rootKey, context), plain, context, VERSION_HEAD);
    },
    open: (sealed, place) => openedBytes(rootKey, sealed, place).toString('utf8'),
    openBytes: (sealed, place) => openedBytes(rootKey, sealed, place),
  };
}

function openedBytes(rootKey: Uint8Array, sealed: Uint8Array, place: readonly string[]): Buffer {
  const context = contextOf(place);
  if (sealed[0] !== VERSION) throw new SecretBoxError(context, unknownFormMessage(context));
  const plain = decryptBytes(keyFor(rootKey, context), sealed.subarray(1), context);
  if (plain === null) throw new SecretBoxError(context, mismatchMessage(context));
  return plain;
}

/** JSON makes the text unambiguous, whatever characters the parts contain. */
function contextOf(place: readonly string[]): string {
  return JSON.stringify(place);
}

function keyFor(rootKey: Uint8Array, context: string): Uint8Array {
  return createHmac('sha256', rootKey).update(context).digest();
}

function unknownFormMessage(context: string): string {
  return `The stored content of ${context} is damaged or was written by a newer version.`;
}

function mismatchMessage(context: string): string {
  return (
    `The stored content of ${context} cannot be decrypted: it is damaged, or SWITCHYARD_SECRET is not the one that encrypted it. ` +
    'Start with the earlier secret; without it, this content is lost.'
  );
}
