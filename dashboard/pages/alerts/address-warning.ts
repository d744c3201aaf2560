import type { AlertWebhook } from '../../api/schema.ts';
import { addressKey } from './place.ts';

/** The gateway's warning about an address that was just saved. */
export interface AddressWarning {
  /** The result of `addressKey`. */
  readonly target: string;
  readonly name: string;
  readonly text: string;
}

/** Returns the warning in an answer; `null` if nothing is known against the address. */
export function warningOf(target: AlertWebhook, text: string | null): AddressWarning | null {
  return text === null ? null : { target: addressKey(target), name: target.name, text };
}
