import { catalogOf } from './catalog.ts';
import claude from './claude-models.yaml' with { type: 'text' };
import gemini from './gemini-models.yaml' with { type: 'text' };
import openai from './openai-models.yaml' with { type: 'text' };

/* Models of a vendor that several providers serve; the vendor's own API is the base that the others are `like`. */

export const OPENAI_CATALOG = catalogOf('openai', openai);

export const GEMINI_CATALOG = catalogOf('google', gemini);

export const CLAUDE_CATALOG = catalogOf('anthropic', claude);
