import { catalogueOf } from '../shared/catalogue.ts';
import { CLAUDE_CATALOGUE, GEMINI_CATALOGUE } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogueOf('vertex', yaml, [...GEMINI_CATALOGUE, ...CLAUDE_CATALOGUE]);
