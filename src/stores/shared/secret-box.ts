import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION_PREFIX = 'v1.';

/** Encrypts what must be given back later in plain text, such as a channel's upstream key. */
export interface SecretBox {
  /**
   * Encrypts `plain` for one place: `context` (such as `channel:openai-main`) is authenticated with it, so a text that was
   * copied into another row does not open there.
   */
  seal(plain: string, context: string): string;
  /** The plain text again; throws a `SecretBoxError` when the secret, the context or the text is another one. */
  open(sealed: string, context: string): string;
}

/** A sealed text could not be opened; the message names the context and says what to do. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
  readonly context: string;

  constructor(context: string, message: string) {
    super(message);
    this.context = context;
  }
}

/**
 * AES-256-GCM under a key that HKDF-SHA256 derives from the master secret. The random 96-bit nonce is safe for 2^32
 * texts per secret (NIST SP 800-38D, 8.3), far beyond what a directory writes.
 */
export function createSecretBox(masterSecret: string): SecretBox {
  if (masterSecret === '') throw new Error('The master secret is empty: set SWITCHYARD_SECRET to a long random text.');
  const key = new Uint8Array(hkdfSync('sha256', masterSecret, '', 'switchyard secret box v1', KEY_BYTES));
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return VERSION_PREFIX + body.toString('base64url');
    },
    open(sealed, context) {
      if (!sealed.startsWith(VERSION_PREFIX)) {
        throw new SecretBoxError(
          context,
          `The stored key of "${context}" is in a form that this build does not know: start the newer build that wrote it.`,
        );
      }
      const plain = decrypt(key, Buffer.from(sealed.slice(VERSION_PREFIX.length), 'base64url'), context);
      if (plain === null) throw new SecretBoxError(context, mismatchMessage(context));
      return plain;
    },
  };
}

function decrypt(key: Uint8Array, body: Buffer, context: string): string | null {
  if (body.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(body.subarray(body.length - TAG_BYTES));
  const plain = decipher.update(body.subarray(NONCE_BYTES, body.length - TAG_BYTES));
  try {
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

function mismatchMessage(context: string): string {
  return (
    `The stored key of "${context}" cannot be decrypted: SWITCHYARD_SECRET is not the one that encrypted it. ` +
    'Start with the earlier secret; if that is lost, delete this row from the database and configure it anew.'
  );
}
