import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { authorize, signer } from './authorize.ts';
import yaml from './models.yaml' with { type: 'text' };

/**
 * Kling of Kuaishou. Accounts in China use another address (`https://api-beijing.klingai.com/v1`) as their channel's `base_url`.
 */
export const kling: ProviderManifest = {
  name: 'kling',
  label: 'Kling AI',
  baseUrl: 'https://api-singapore.klingai.com/v1',
  keyVariables: ['KLING_API_KEY'],
  keyVariableGroups: [
    ['KLING_ACCESS_KEY', 'KLING_SECRET_KEY'],
    ['KLINGAI_ACCESS_KEY', 'KLINGAI_SECRET_KEY'],
  ],
  keyRequired: true,
  authorize,
  signer,
  formats: [],
  // The wire appends the endpoint.
  wires: [{ wire: 'kling-videos', path: '' }],
  models: catalogOf('kling', yaml),
};
