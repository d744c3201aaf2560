import type { ToolNames } from '../format.ts';

/**
 * The rule of OpenAI ("letters, digits, underscores and dashes, with a maximum length of 64"), which most others have adopted.
 */
export const COMMON_TOOL_NAMES: ToolNames = { forbidden: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/** The first character at Google and Cohere: a letter or an underscore. */
export const LETTER_FIRST = /^[a-zA-Z_]/;
