import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPEN_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_CATALOG } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

/**
 * GitHub has announced the end of this service for 30 July 2026 (community discussion 203602). The manifest stays for
 * installations that still reach it, or a similar service, at their own address. The customary `GITHUB_TOKEN` is not read from
 * the environment, because continuous integration sets it for other purposes.
 */
export const githubModels: ProviderManifest = {
  name: 'github-models',
  label: 'GitHub Models',
  baseUrl: 'https://models.github.ai/inference',
  keyVariables: ['GITHUB_MODELS_TOKEN'],
  keyRequired: true,
  keyPattern: /^(?:github_pat_|gh[pousr]_)\w{20,}$/,
  formats: [OPENAI_CHAT],
  models: catalogOf('github-models', yaml, OPENAI_CATALOG),
  modelList: { ...OPEN_MODELS, baseUrl: 'https://models.github.ai/catalog' },
};
