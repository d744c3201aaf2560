import type { AddressRange } from '../../domain/access/network-address.ts';

/** What an operator may set about alerts of all accounts. */
export interface AlertSettings {
  /** Whether plain `http:` webhooks are sent as well as `https:` ones. */
  readonly allowHttp: boolean;
  /** Ranges that may be sent to although they are private, loopback, link-local or otherwise special. */
  readonly allowedRanges: readonly AddressRange[];
  /** Ranges that are never sent to, allowed or not. */
  readonly deniedRanges: readonly AddressRange[];
}

export const DEFAULT_ALERTS: AlertSettings = { allowHttp: false, allowedRanges: [], deniedRanges: [] };
