import type { Principal } from '../../domain/access/principal.ts';

/*
 * What stands in the place of a secret for a person who has signed in. Both are objects of classes of their own, since all that clients
 * send is text: nothing of it can be taken for one.
 */

/** A stored key that the person may use. It is looked up like a secret that was sent, so it ends, and is limited, in the same ways. */
export class VouchedKey {
  /** @param secretHash SHA-256 of the key's secret, lower-case hex, as the directory has it */
  constructor(readonly secretHash: string) {}
}

/** An account that is only read, for a person who may act as it although it has no key for that yet. */
export class VouchedReader {
  /** @param principal the account, with a key that is not stored */
  constructor(readonly principal: Principal) {}
}

export type Vouched = VouchedKey | VouchedReader;
