import { CLAUDE_CATALOGUE } from '../shared/vendor-models.ts';

export const models = CLAUDE_CATALOGUE;
