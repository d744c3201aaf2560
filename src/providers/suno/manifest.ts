import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/**
 * Suno itself has no API; many proxies offer one, all of the same shape. Each channel sets its proxy's address, without a
 * path.
 */
export const suno: ProviderManifest = {
  name: 'suno',
  label: 'Suno-compatible proxy',
  baseUrl: null,
  keyVariables: [],
  keyRequired: false,
  formats: [],
  wires: [{ wire: 'suno-music', path: '/suno/submit' }],
  models: catalogOf('suno', yaml),
};
