import { OPENAI_CATALOG } from '../shared/vendor-models.ts';

export const models = OPENAI_CATALOG;
