import type { ProviderManifest } from '../manifest.ts';

/** Resellers that speak Tripo's API v2, which Tripo itself has retired; the `base_url` ends before `/task` (`…/v2/openapi`). */
export const tripoV2: ProviderManifest = {
  name: 'tripo-v2',
  label: 'Tripo API v2',
  baseUrl: null,
  keyVariables: [],
  keyRequired: false,
  formats: [],
  // The wire appends the endpoint.
  wires: [{ wire: 'tripo-3d-v2', path: '' }],
};
