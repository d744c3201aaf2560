import { CLAUDE_CATALOG } from '../shared/vendor-models.ts';

export const models = CLAUDE_CATALOG;
