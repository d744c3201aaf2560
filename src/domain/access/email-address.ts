/**
 * Returns the canonical spelling in which an address is stored, compared and counted: composed characters (NFC), in lower case.
 * Mail servers treat other spellings as the same mailbox, so each of them would otherwise be a separate user.
 */
export function canonicalEmail(address: string): string {
  return address.normalize('NFC').toLowerCase();
}
