import { catalogOf } from '../shared/catalog.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogOf('runway', yaml);
