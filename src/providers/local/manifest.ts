import type { ProviderManifest } from '../manifest.ts';
import { EMBEDDINGS_IN_BASE64 } from '../shared/openai-embeddings.ts';
import { localUpstream } from './local.ts';
import { models } from './models.ts';

/** Embeds with a small model that comes with the gateway: real vectors without an account, a key or a network. */
export const local: ProviderManifest = {
  name: 'local',
  label: 'Built-in (local)',
  // Never contacted: `local` answers. The top-level domain is one that cannot exist (RFC 2606).
  baseUrl: 'http://local.invalid/v1',
  keyVariables: [],
  keyRequired: false,
  formats: [],
  models,
  wires: [EMBEDDINGS_IN_BASE64],
  local: localUpstream,
  isBuiltIn: true,
};
