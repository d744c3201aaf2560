import { catalogOf } from '../shared/catalog.ts';
import { CLAUDE_CATALOG, GEMINI_CATALOG } from '../shared/vendor-models.ts';
import yaml from './models.yaml' with { type: 'text' };

export const models = catalogOf('vertex', yaml, [...GEMINI_CATALOG, ...CLAUDE_CATALOG]);
