import type { Channel } from '../../domain/catalog/channel.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';

/** Knows which server software a channel uses and the request rules that follow from it. */
export interface ServerRules {
  /** Returns the manifest with the server's rules, or the given manifest while the server is unknown. Never waits. */
  manifestFor(channel: Channel, manifest: ProviderManifest): ProviderManifest;
}

/** The rules for processes that route no requests. */
export const RULES_OF_PROVIDERS: ServerRules = { manifestFor: (_channel, manifest) => manifest };
