import { catalogueOf } from '../shared/catalogue.ts';
import { OPENAI_CATALOGUE } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogueOf('azure-openai', yaml, OPENAI_CATALOGUE);
