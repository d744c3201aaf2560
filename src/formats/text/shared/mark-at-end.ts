import type { CacheMark, Message, Part } from '../../../domain/exchange/part.ts';
import { isBlank } from '../../shared/json/long-text.ts';

export const NOT_AT_END = 'the last block already has another mark, or there is no block';

/**
 * Returns a conversation with this mark on the last part that can have one; `null` if there is no such part or it has a different
 * mark ("Prompt caching": automatic caching, edge cases).
 */
export function withMarkAtEnd(messages: readonly Message[], cache: CacheMark): readonly Message[] | null {
  const at = messages.findLastIndex(({ parts }) => parts.some(canHaveMark));
  const message = messages[at];
  const lastAt = message?.parts.findLastIndex(canHaveMark) ?? -1;
  const last = message?.parts[lastAt];
  if (message === undefined || last === undefined) return null;
  if (last.cache !== undefined) return last.cache.ttl === cache.ttl ? messages : null;
  return messages.with(at, { ...message, parts: message.parts.with(lastAt, { ...last, cache }) });
}

function canHaveMark(part: Part): boolean {
  if (part.type === 'text') return !isBlank(part.text);
  return part.type !== 'reasoning' && part.type !== 'unknown';
}
