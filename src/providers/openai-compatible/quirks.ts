import type { Quirk } from '../../formats/quirk.ts';
import { DEVELOPER_IS_SYSTEM, NAMED_MAX_TOKENS } from '../shared/quirks.ts';

/** Nothing is known of the server, so only what is safe with all of them; the rest is as at OpenAI. */
export const chatQuirks: readonly Quirk[] = [NAMED_MAX_TOKENS, DEVELOPER_IS_SYSTEM];
