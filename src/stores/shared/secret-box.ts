import { decrypt, deriveKey, encrypt } from './aes-gcm.ts';

const VERSION_PREFIX = 'v1.';

/** Encrypts secrets that must be recovered in plain text, such as a channel's upstream key. */
export interface SecretBox {
  /**
   * Encrypts `plain` for one place. `context` (such as `channel:openai-main`) is authenticated with it, so that a copy in another row does
   * not open.
   */
  seal(plain: string, context: string): string;
  /** Decrypts text. Throws a `SecretBoxError` if the secret, the context or the text does not match. */
  open(sealed: string, context: string): string;
}

/** Thrown if a sealed text cannot be opened. The message names the context and says what to do. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
  readonly context: string;

  constructor(context: string, message: string) {
    super(message);
    this.context = context;
  }
}

/**
 * Uses one key for all texts, which is safe for 2^32 of them, far more than a directory writes. The result is URL-safe text, readable in a
 * table.
 */
export function createSecretBox(masterSecret: string): SecretBox {
  const key = deriveKey(masterSecret, 'switchyard secret box v1');
  return {
    seal: (plain, context) => VERSION_PREFIX + encrypt(key, plain, context).toString('base64url'),
    open(sealed, context) {
      if (!sealed.startsWith(VERSION_PREFIX)) {
        throw new SecretBoxError(
          context,
          `The stored key of "${context}" has an unknown format: start the newer version that wrote it.`,
        );
      }
      const plain = decrypt(key, Buffer.from(sealed.slice(VERSION_PREFIX.length), 'base64url'), context);
      if (plain === null) throw new SecretBoxError(context, mismatchMessage(context));
      return plain;
    },
  };
}

function mismatchMessage(context: string): string {
  return (
    `The stored key of "${context}" cannot be decrypted: SWITCHYARD_SECRET is not the one that encrypted it. ` +
    'Start with the earlier secret; if that is lost, delete this row from the database and configure it again.'
  );
}
