import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';

/**
 * GitHub has announced the end of this service for 30 July 2026 (its changelog and community discussion 203602). The manifest
 * stays for installations that reach it by an address of their own; no key in the environment makes a channel of it.
 */
export const githubModels: ProviderManifest = {
  name: 'github-models',
  label: 'GitHub Models',
  baseUrl: 'https://models.github.ai/inference',
  keyVariables: [],
  keyRequired: true,
  formats: [OPENAI_CHAT],
};
