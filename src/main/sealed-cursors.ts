import type { LiveCursors } from '../engine/admin/requests/live-requests.ts';
import { decrypt, encrypt } from '../stores/shared/aes-gcm.ts';

const CONTEXT = 'live requests';
/** A multiple of 3, so that the base64 needs no padding; cursors have at most 15 digits. */
const PADDED_TO = 27;

/**
 * Encrypts positions in the log for use as event ids. Positions count the requests of all accounts, so a client that watches one account
 * must neither read nor choose one.
 */
export class SealedCursors implements LiveCursors {
  /** @param key 32 secret bytes, the same on every node */
  constructor(private readonly key: Uint8Array) {}

  seal(cursor: string): string {
    // The number of digits would also reveal something.
    const padded = cursor.padEnd(Math.ceil(cursor.length / PADDED_TO) * PADDED_TO);
    return encrypt(this.key, padded, CONTEXT).toString('base64url');
  }

  /** Returns `null` for anything that was not sealed with this key. */
  open(id: string): string | null {
    return decrypt(this.key, Buffer.from(id, 'base64url'), CONTEXT)?.trimEnd() ?? null;
  }
}
