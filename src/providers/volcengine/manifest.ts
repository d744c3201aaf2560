import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

/** BytePlus ModelArk has the same API: `https://ark.ap-southeast.bytepluses.com/api/v3` as the channel's base address. */
export const volcengine: ProviderManifest = {
  name: 'volcengine',
  label: 'Volcengine Ark (Doubao)',
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  keyVariables: ['ARK_API_KEY'],
  keyRequired: true,
  formats: [],
  wires: [{ wire: 'ark-videos', path: '/contents/generations/tasks' }],
  models: catalogOf('volcengine', yaml),
};
