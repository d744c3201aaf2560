import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_CATALOG } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogOf('github-models', yaml, OPENAI_CATALOG);
