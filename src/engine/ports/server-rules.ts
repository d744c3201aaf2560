import type { Channel } from '../../domain/catalog/channel.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';

/** Knows which program serves a channel, and so by which rules requests are written for it. */
export interface ServerRules {
  /** The manifest with the rules of the channel's server; the same manifest while the server is unknown. Never waits. */
  manifestFor(channel: Channel, manifest: ProviderManifest): ProviderManifest;
}

/** For processes that route nothing. */
export const RULES_OF_PROVIDERS: ServerRules = { manifestFor: (_channel, manifest) => manifest };
