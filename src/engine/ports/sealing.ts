/**
 * Encrypts text that clients store on the gateway's behalf. It is bound to one account. Every node can decrypt it, also after a restart.
 */
export interface Sealing {
  /** Returns standard base64. */
  seal(accountId: string, text: string): string;
  /** Returns `null` if the text was not sealed for this account or is damaged. */
  open(accountId: string, sealed: string): string | null;
}
