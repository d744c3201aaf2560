/**
 * The key that a person acts with who has signed in and may use it, in the place of its secret, which nobody here knows. It is looked
 * up like a secret that was sent, so it ends, and is limited, in the same ways. An object of a class of its own, since all that clients
 * send is text: nothing of it can be taken for one.
 */
export class VouchedKey {
  /** @param secretHash SHA-256 of the key's secret, lower-case hex, as the directory has it */
  constructor(readonly secretHash: string) {}
}
