import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { libraryKey } from './shape.ts';

/** Encrypts what the sign-in library keeps of a second factor (its secret, the backup codes) for another key. Rejects for a wrong one. */
export function resealTwoFactor(from: Uint8Array, to: Uint8Array): (sealed: string) => Promise<string> {
  return async (sealed) => {
    const data = await symmetricDecrypt({ key: libraryKey({ key: from }), data: sealed });
    return symmetricEncrypt({ key: libraryKey({ key: to }), data });
  };
}
