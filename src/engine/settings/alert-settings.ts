import type { AddressRange } from '../../domain/access/network-address.ts';

/** An operator's settings for the alerts of all accounts. */
export interface AlertSettings {
  /** Whether webhooks may use plain `http:` as well as `https:`. */
  readonly allowHttp: boolean;
  /** Ranges that webhooks may reach although they are private, loopback, link-local or otherwise special. */
  readonly allowedRanges: readonly AddressRange[];
  /** Ranges that webhooks must never reach, even if allowed. */
  readonly deniedRanges: readonly AddressRange[];
}

export const DEFAULT_ALERTS: AlertSettings = { allowHttp: false, allowedRanges: [], deniedRanges: [] };
