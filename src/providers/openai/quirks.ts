import type { Quirk } from '../../formats/text/quirk.ts';
import { OPENAI_CHAT_MODELS, OPENAI_RESPONSES_MODELS } from '../shared/openai-models.ts';

/** OpenAI is the norm of both formats; the only quirks are the limits of its models. */
export const chatQuirks: readonly Quirk[] = OPENAI_CHAT_MODELS;
export const responsesQuirks: readonly Quirk[] = OPENAI_RESPONSES_MODELS;
