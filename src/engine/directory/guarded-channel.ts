import type { Channel } from '../../domain/catalog/channel.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';

type Place = Pick<Channel, 'owner' | 'origin' | 'baseUrl' | 'settings'>;

/**
 * Returns whether requests over a channel must stay out of the gateway's own network: a PRIVATE channel that was made or changed over the
 * API, whose address an account may have chosen. Channels in a configuration file may be anywhere, as may PLATFORM channels, which only
 * operators make. A provider's usual address on the internet needs no check.
 */
export function isGuarded(channel: Place, manifest: ProviderManifest): boolean {
  if (channel.owner === null || channel.origin !== 'operator') return false;
  return channel.baseUrl !== null || !isOnInternet(usualAddress(channel, manifest));
}

/** Returns the provider's usual address; `null` if the channel must name one. */
export function usualAddress({ settings }: Pick<Channel, 'settings'>, manifest: ProviderManifest): string | null {
  return manifest.baseUrlOf?.(settings) ?? manifest.baseUrl;
}

/** Returns whether the address is on the internet: self-hosted servers usually have a local address without TLS. */
function isOnInternet(address: string | null): boolean {
  return address?.startsWith('https://') === true;
}
