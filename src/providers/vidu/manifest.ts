import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { keyHeader } from '../shared/headers.ts';
import yaml from './models.yaml' with { type: 'text' };

/** Vidu of ShengShu. Accounts in China use another address (`https://api.vidu.cn/ent/v2`) as their channel's `base_url`. */
export const vidu: ProviderManifest = {
  name: 'vidu',
  label: 'Vidu',
  baseUrl: 'https://api.vidu.com/ent/v2',
  keyVariables: ['VIDU_API_KEY'],
  keyRequired: true,
  keyPattern: /^vda_[\w-]{16,}$/,
  authorize: ({ apiKey }) => keyHeader('authorization', apiKey === null ? null : `Token ${apiKey}`),
  formats: [],
  // The wire appends the endpoint.
  wires: [{ wire: 'vidu-videos', path: '' }],
  models: catalogOf('vidu', yaml),
  keyCheck: { path: '/credits' },
};
