import type { ToolNames } from '../../format.ts';

/** OpenAI's rule ("letters, digits, underscores and dashes, with a maximum length of 64"), which most others took over. */
export const COMMON_TOOL_NAMES: ToolNames = { forbidden: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/** What a name begins with at Google and at Cohere: no digit and no sign but the underscore. */
export const LETTER_FIRST = /^[a-zA-Z_]/;
