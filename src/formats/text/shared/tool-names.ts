import type { ToolNames } from '../format.ts';

/**
 * The rule of OpenAI ("letters, digits, underscores and dashes, with a maximum length of 64"), which most others have adopted.
 */
export const COMMON_TOOL_NAMES: ToolNames = { forbidden: /[^a-zA-Z0-9_-]/g, maxLength: 64 };

/** The first character at Google and Cohere: a letter or an underscore. */
export const LETTER_FIRST = /^[a-zA-Z_]/;

/** Returns the name, or a replacement that the upstream accepts and that no other name maps to; deterministic across requests. */
export function fittingName(name: string, { forbidden, first, maxLength }: ToolNames): string {
  const allowed = name.replace(forbidden, '_');
  const plain = first === undefined || first.test(allowed) ? allowed : `_${allowed}`;
  if (plain === name && name.length <= maxLength) return name;
  const mark = `_${digest(name)}`;
  return plain.slice(0, maxLength - mark.length) + mark;
}

/** Returns the 32-bit FNV-1a hash of the UTF-16 code units, in eight hexadecimal digits. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
