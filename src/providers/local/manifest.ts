import type { ProviderManifest } from '../manifest.ts';
import { EMBEDDINGS_IN_BASE64 } from '../shared/openai-embeddings.ts';
import { localUpstream } from './local.ts';
import { models } from './models.ts';

/** Embeds with a small packaged model: real vectors without an account, a key or a network. */
export const local: ProviderManifest = {
  name: 'local',
  label: 'Built-in (local)',
  // Never contacted, because `local` answers. The top-level domain cannot exist (RFC 2606).
  baseUrl: 'http://local.invalid/v1',
  keyVariables: [],
  keyRequired: false,
  formats: [],
  models,
  wires: [EMBEDDINGS_IN_BASE64],
  local: localUpstream,
  isBuiltIn: true,
};
