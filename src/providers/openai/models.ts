import { OPENAI_CATALOGUE } from '../shared/vendor-models.ts';

export const models = OPENAI_CATALOGUE;
