/**
 * Where a URL leads: `forbidden`: its host is written as an address that may not be called, or always means this machine; `internal`: a name
 * that resolves to such an address; `unresolved`: a name without addresses. Only operators may learn whether a name is internal, since the
 * difference would show strangers which names exist in the operator's network.
 */
export type AddressVerdict = 'public' | 'forbidden' | 'internal' | 'unresolved';

/** Checks an address that somebody has stored and the gateway will call. Calls are checked again, since names can change. */
export interface AddressCheck {
  /** Resolves the host of the URL once, within a few seconds. Never rejects. */
  check(url: string): Promise<AddressVerdict>;
}
