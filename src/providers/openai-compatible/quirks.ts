import type { Quirk } from '../../formats/quirk.ts';
import {
  DEVELOPER_IS_SYSTEM,
  FREEFORM_OF_ANYBODY,
  NAMED_MAX_COMPLETION_TOKENS,
  OPENAI_REASONING,
} from '../shared/quirks.ts';

/** Nothing is known about the server, so only rules that are safe with all servers; the rest is the norm. */
export const chatQuirks: readonly Quirk[] = [
  DEVELOPER_IS_SYSTEM,
  ...FREEFORM_OF_ANYBODY,
  {
    ...NAMED_MAX_COMPLETION_TOKENS,
    models: OPENAI_REASONING,
    why: 'OpenAI answers `max_tokens` for models that think with a 400, through a proxy as well.',
  },
];
