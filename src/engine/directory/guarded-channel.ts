import type { Channel } from '../../domain/catalog/channel.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';

type Place = Pick<Channel, 'owner' | 'origin' | 'baseUrl' | 'settings'>;

/**
 * Whether requests over a channel must stay out of the gateway's own network: a PRIVATE channel that was made over the API or changed
 * there, whose address an account may have chosen. What a configuration file declares may be anywhere, and so may PLATFORM channels,
 * which operators alone make. A provider's usual address on the internet needs no check.
 */
export function isGuarded(channel: Place, manifest: ProviderManifest): boolean {
  if (channel.owner === null || channel.origin !== 'operator') return false;
  return channel.baseUrl !== null || !isOnInternet(usualAddress(channel, manifest));
}

/** Where the provider is, unless the channel names another address; `null` where it must name one. */
export function usualAddress({ settings }: Pick<Channel, 'settings'>, manifest: ProviderManifest): string | null {
  return manifest.baseUrlOf?.(settings) ?? manifest.baseUrl;
}

/** Servers that people run themselves have a usual address on the machine itself, without TLS. */
function isOnInternet(address: string | null): boolean {
  return address?.startsWith('https://') === true;
}
