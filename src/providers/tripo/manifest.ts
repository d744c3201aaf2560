import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/**
 * Tripo over API v3; v2 has not accepted jobs since November 2026 (developers.tripo3d.ai/en/docs/migration-v2-to-v3). A key of
 * the region China has `https://openapi.tripo3d.com/v3` as its `base_url`.
 */
export const tripo: ProviderManifest = {
  name: 'tripo',
  label: 'Tripo',
  baseUrl: 'https://openapi.tripo3d.ai/v3',
  keyVariables: ['TRIPO_API_KEY'],
  keyRequired: true,
  keyPattern: /^tsk_[\w-]{20,}$/,
  formats: [],
  // The wire appends the endpoint for the kind of job.
  wires: [{ wire: 'tripo-3d', path: '' }],
  models: catalogOf('tripo', yaml),
};
