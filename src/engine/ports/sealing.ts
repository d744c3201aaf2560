/** Encrypts text that clients keep for the gateway: for one account; every node can open it, also after a restart. */
export interface Sealing {
  /** Standard base64. */
  seal(accountId: string, text: string): string;
  /** `null` for what was not sealed for this account, or is damaged. */
  open(accountId: string, sealed: string): string | null;
}
