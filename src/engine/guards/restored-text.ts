import type { Masks } from '../../domain/guards/masks.ts';
import { isNestedJson, jsonTokens, TextEdits } from './json-tokens.ts';

/** Members whose strings are JSON texts in all formats: the arguments of tools, whole or in parts. */
const JSON_MEMBERS: ReadonlySet<string> = new Set(['arguments', 'partial_json']);

/** Returns a JSON text whose strings have the masked values again. Text that is not JSON is returned as it is. */
export function restoredJson(json: string, masks: Masks): string {
  if (masks.isEmpty || !mayHold(json)) return json;
  const edits = new TextEdits(json);
  try {
    for (const token of jsonTokens(json)) {
      if (token.kind === 'number' || !token.text.includes('[')) continue;
      const text = restoredString(token.text, token.member, masks);
      if (text !== token.text) edits.replace(token, JSON.stringify(text));
    }
  } catch {
    return json;
  }
  return edits.text;
}

/** Returns a string with the masked values again; in a JSON text they are written as in a JSON string. */
export function restoredString(text: string, member: string, masks: Masks): string {
  const isJson = JSON_MEMBERS.has(member) || isNestedJson(text);
  return isJson ? masks.restored(text, withinJson) : masks.restored(text);
}

/** Returns whether this member has JSON text, so that values in it are escaped. */
export function holdsJson(member: string): boolean {
  return JSON_MEMBERS.has(member);
}

export function withinJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Returns whether a text may have a placeholder, as most parts of a stream have not. */
function mayHold(json: string): boolean {
  return json.includes('_') && (json.includes('[') || json.includes('\\u005'));
}
