import { type CallTimeouts, type Channel, placeOf, timeoutsOfCalls } from '../../domain/catalog/channel.ts';
import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { LocalUpstream } from '../../providers/manifest.ts';
import type { ProviderBatches } from '../../providers/shared/batch-rules.ts';
import { RELAYED_APIS, type RelayedApiName } from '../../providers/shared/relayed-apis.ts';
import type { ChannelHealth } from '../health/channel-health.ts';
import { isGuarded } from './guarded-channel.ts';
import { type ChannelParts, requestIdHeaderOf } from './target.ts';
import type { UpstreamSecrets } from './upstream-secrets.ts';

type Headers = Readonly<Record<string, string>>;

/** A channel as the passed-through APIs see it: their addresses, and the authorization of requests. */
export interface RelayChannel {
  readonly channel: Channel;
  readonly place: string;
  readonly health: ChannelHealth;
  readonly secrets: UpstreamSecrets;
  readonly timeouts: { readonly whole: CallTimeouts; readonly stream: CallTimeouts };
  readonly routing: RoutingFacts;
  readonly local: LocalUpstream | undefined;
  readonly isGuarded: boolean;
  /** The header in which the provider takes a request id. */
  readonly requestIdHeader: string;
  /** The provider's API for batches of lines; absent for none. */
  readonly batches?: ProviderBatches | undefined;
  /** Returns `null` if the provider does not have the API. */
  addressOf(api: RelayedApiName): RelayAddress | null;
}

export interface RelayAddress {
  /** Includes the version, without a trailing slash. */
  readonly baseUrl: string;
  readonly headers: Headers;
}

/** Returns `null` for a provider that has none of these APIs, and for a channel that signs: a signature needs the whole body. */
export function relayChannel({ manifest, ...parts }: ChannelParts): RelayChannel | null {
  const { channel, health, secrets, routing } = parts;
  const base = channel.baseUrl ?? manifest.baseUrlOf?.(channel.settings) ?? manifest.baseUrl;
  const apis: ReadonlySet<string> = new Set(manifest.relays);
  if (base === null || apis.size === 0 || parts.signer !== null) return null;
  const baseUrl = base + (manifest.relayPath ?? '');
  const credentials = { apiKey: channel.apiKey, settings: channel.settings };
  const bearer = channel.apiKey === null ? {} : { authorization: `Bearer ${channel.apiKey}` };
  return {
    channel,
    place: placeOf(channel),
    health,
    secrets,
    timeouts: timeoutsOfCalls(channel.timeouts),
    routing,
    local: manifest.local,
    requestIdHeader: requestIdHeaderOf(manifest),
    isGuarded: isGuarded(channel, manifest),
    batches: manifest.batches,
    addressOf(api) {
      if (!apis.has(api)) return null;
      const { format } = RELAYED_APIS[api];
      const provided = manifest.formats.find((one) => one.format === format);
      const authorization = manifest.authorize?.(credentials, format) ?? bearer;
      return { baseUrl, headers: { ...authorization, ...provided?.headers, 'user-agent': 'switchyard' } };
    },
  };
}
