import type { Sealing } from '../../engine/ports/conversation-state.ts';
import { createContentBox } from './content-box.ts';
import { SecretBoxError } from './secret-box.ts';

/** Creates a sealing with one key per account, derived from the master secret. */
export function createSealing(masterSecret: string): Sealing {
  const box = createContentBox(masterSecret);
  const place = (accountId: string) => ['sealed for', accountId];
  return {
    seal: (accountId, text) => Buffer.from(box.seal(text, place(accountId))).toString('base64'),
    open(accountId, sealed) {
      try {
        return box.open(Buffer.from(sealed, 'base64'), place(accountId));
      } catch (error) {
        if (error instanceof SecretBoxError) return null;
        throw error;
      }
    },
  };
}
