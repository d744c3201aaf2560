import type { ProviderManifest } from '../manifest.ts';

/** A metasearch engine that operators run themselves. Its settings must allow the format `json` (docs.searxng.org, "search:"). */
export const searxng: ProviderManifest = {
  name: 'searxng',
  label: 'SearXNG',
  baseUrl: null,
  keyVariables: [],
  keyRequired: false,
  formats: [],
  wires: [{ wire: 'searxng-search', path: '/search' }],
};
