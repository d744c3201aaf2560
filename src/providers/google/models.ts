import { GEMINI_CATALOGUE } from '../shared/vendor-models.ts';

export const models = GEMINI_CATALOGUE;
