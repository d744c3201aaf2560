import type { Account } from '../../../domain/access/account.ts';
import type { BillingDetails } from '../../../domain/access/billing-details.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { billingDetailsFields } from '../schema/billing-details.ts';

const NOTHING: BillingDetails = { name: null, address: [], taxId: null, email: null };

/** Returns what a statement prints about its two parties. */
export function partiesView(seller: BillingDetails | null, { name, billingDetails }: Account) {
  return {
    seller: seller && billingDetailsFields(seller),
    customer: { account_name: name, ...billingDetailsFields(billingDetails ?? NOTHING) },
  };
}

/** Resolves to the names of an account's keys by id; unknown ones are missing. */
export async function keyNames(
  directory: Pick<DirectoryStore, 'read'>,
  accountId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const keys = ids.filter((id) => id !== null).map((id) => ({ accountId, kind: 'inference' as const, id }));
  if (keys.length === 0) return new Map();
  const { credentials } = await directory.read({ credentials: keys, serving: false });
  return new Map(credentials.map(({ id, name }) => [id, name]));
}
