import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { libraryKey } from './shape.ts';

/** Re-encrypts the sign-in library's second-factor data (its secret, the backup codes) with another key. Rejects if a key is wrong. */
export function resealTwoFactor(from: Uint8Array, to: Uint8Array): (sealed: string) => Promise<string> {
  return async (sealed) => {
    const data = await symmetricDecrypt({ key: libraryKey({ key: from }), data: sealed });
    return symmetricEncrypt({ key: libraryKey({ key: to }), data });
  };
}
