import { createHmac } from 'node:crypto';
import { deriveKey } from '../shared/aes-gcm.ts';
import { createContentBox } from '../shared/content-box.ts';
import { SecretBoxError } from '../shared/secret-box.ts';
import { DIGEST_BYTES, TAG_CHARACTERS } from './state-scripts.ts';

/** In base64, four characters encode three bytes. */
const TAG_BYTES = (TAG_CHARACTERS / 4) * 3;
/** The format version. Part of the place, so that gateways of two releases do not read each other's values. */
const FORM = 'conversation state 1';

/**
 * The format of the state in Redis: opaque names, and values that only gateways with the same secret can read, each bound to its account
 * and key.
 */
export class SealedState {
  readonly #box: ReturnType<typeof createContentBox>;
  readonly #key: Uint8Array;

  constructor(masterSecret: string) {
    this.#box = createContentBox(masterSecret);
    this.#key = deriveKey(masterSecret, 'switchyard conversation state v1');
  }

  /** Returns the prefix of an account's fields. */
  tagOf(accountId: string): string {
    return this.#digest(['account', accountId], TAG_BYTES).toString('base64url');
  }

  /** @param tag the account's tag */
  fieldOf(tag: string, kind: string, accountId: string, key: string): string {
    return tag + this.#digest(['key', kind, accountId, key], TAG_BYTES).toString('base64url');
  }

  seal(text: string, kind: string, accountId: string, field: string): Buffer {
    const place = placeOf(kind, accountId, field);
    return Buffer.concat([this.#digest([...place, text], DIGEST_BYTES), this.#box.seal(text, place)]);
  }

  /** Returns `null` if the value was not sealed for this account and field, or is damaged. */
  open(sealed: Uint8Array, kind: string, accountId: string, field: string): string | null {
    try {
      return this.#box.open(sealed.subarray(DIGEST_BYTES), placeOf(kind, accountId, field));
    } catch (error) {
      if (error instanceof SecretBoxError) return null;
      throw error;
    }
  }

  #digest(parts: readonly string[], bytes: number): Buffer {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest().subarray(0, bytes);
  }
}

function placeOf(kind: string, accountId: string, field: string): readonly string[] {
  return [FORM, kind, accountId, field];
}
