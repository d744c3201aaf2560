import { catalogueOf } from '../shared/catalogue.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogueOf('fireworks', yaml);
