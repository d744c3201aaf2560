import type { AddressCheck } from '../ports/address-check.ts';
import { AdminError } from './admin-error.ts';

export interface StoredAddress {
  readonly url: string;
  /** The member of the input that has the URL. */
  readonly field: string;
  readonly isOperator: boolean;
  /** The advice for an operator who wants a private address. */
  readonly remedy: string;
  /** Whether a name without addresses is refused, too. */
  readonly mustResolve: boolean;
}

/**
 * Checks a URL before it is stored, for everything that the gateway calls in the name of others: webhooks, and channels of accounts. Resolves
 * to a warning about a name that leads nowhere yet; `null` for none. Throws `AdminError` for a URL that the gateway would never call.
 *
 * A name in the gateway's own network and a name without addresses look the same to everybody but operators.
 */
export async function checkStoredAddress(
  addresses: AddressCheck,
  { url, field, isOperator, remedy, mustResolve }: StoredAddress,
): Promise<string | null> {
  const verdict = await addresses.check(url);
  if (verdict === 'public') return null;
  const host = URL.parse(url)?.hostname ?? url;
  const hint = isOperator ? remedy : 'Ask your admin to allow private networks';
  const refuse = (reason: string): never => {
    throw new AdminError('invalid_value', field, `must be a public URL: ${reason}. ${hint}`);
  };
  if (verdict === 'forbidden') return refuse(`${host} is a private or reserved address`);
  if (verdict === 'internal' && isOperator) return refuse(`${host} resolves to a private or reserved address`);
  if (mustResolve) return refuse(`${host} does not resolve to a public address`);
  return `${host} does not resolve to a public address yet.`;
}
