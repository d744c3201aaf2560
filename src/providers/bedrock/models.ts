import { catalogOf } from '../shared/catalog.ts';
import { CLAUDE_CATALOG } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogOf('bedrock', yaml, CLAUDE_CATALOG);
