import { GEMINI_CATALOG } from '../shared/vendor-models.ts';

export const models = GEMINI_CATALOG;
