import type { ToolNames } from '../format.ts';

/** OpenAI's rule ("letters, digits, underscores and dashes, with a maximum length of 64"), which most others took over. */
export const COMMON_TOOL_NAMES: ToolNames = { forbidden: /[^a-zA-Z0-9_-]/g, maxLength: 64 };
