import type { LiveCursors } from '../engine/admin/requests/live-requests.ts';
import { decrypt, encrypt } from '../stores/shared/aes-gcm.ts';

const CONTEXT = 'live requests';
/** A multiple of 3, so that the base64 has no rest; numbers of the log have at most 15 digits. */
const PADDED_TO = 27;

/**
 * Places in the log as ids of events. The numbers of the log count the requests of all accounts, so who watches one account must not
 * read them, nor choose one.
 */
export class SealedCursors implements LiveCursors {
  /** @param key 32 secret bytes, the same on every node */
  constructor(private readonly key: Uint8Array) {}

  seal(cursor: string): string {
    // How many digits a number has would tell something, too.
    const padded = cursor.padEnd(Math.ceil(cursor.length / PADDED_TO) * PADDED_TO);
    return encrypt(this.key, padded, CONTEXT).toString('base64url');
  }

  /** `null` for what was not sealed with this key. */
  open(id: string): string | null {
    return decrypt(this.key, Buffer.from(id, 'base64url'), CONTEXT)?.trimEnd() ?? null;
  }
}
