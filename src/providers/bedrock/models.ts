import { catalogueOf } from '../shared/catalogue.ts';
import { CLAUDE_CATALOGUE } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogueOf('bedrock', yaml, CLAUDE_CATALOGUE);
