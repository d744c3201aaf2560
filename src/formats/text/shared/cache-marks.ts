import type { Losses } from '../../../domain/exchange/loss.ts';
import { type CacheMark, type Message, markPath, type Part } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { isBlank } from '../../shared/json/long-text.ts';

interface Marked {
  readonly cache?: CacheMark;
  readonly path?: string;
}

/** Returns the number of cache marks in a request's tools and messages. */
export function countMarks({ messages, tools }: ExchangeRequest): number {
  const inParts = (parts: readonly Part[]): number =>
    parts.reduce(
      (sum, part) => sum + (part.cache ? 1 : 0) + (part.type === 'tool-result' ? inParts(part.content) : 0),
      0,
    );
  const inTools = tools.filter((tool) => tool.type === 'function' && tool.cache !== undefined).length;
  return messages.reduce((sum, { parts }) => sum + inParts(parts), inTools);
}

/**
 * Returns the request with only its last `most` cache marks, which cover the longest prefixes; the same object if it has no more.
 */
export function withFewMarks(request: ExchangeRequest, most: number, why: string, losses: Losses): ExchangeRequest {
  let surplus = losses.isExact('cache-marks') ? countMarks(request) - most : 0;
  if (surplus <= 0) return request;
  const unmarked = <One extends Marked>(one: One): One => {
    if (one.cache === undefined || surplus <= 0) return one;
    surplus--;
    losses.note({ field: markPath(one), verdict: 'dropped', why });
    const { cache: _, ...rest } = one;
    // The result differs only in an optional member.
    return rest as One;
  };
  const part = (one: Part): Part =>
    unmarked(one.type === 'tool-result' ? { ...one, content: one.content.map(unmarked) } : one);
  const tools = request.tools.map((tool) => (tool.type === 'function' ? unmarked(tool) : tool));
  const messages = request.messages.map((message): Message => ({ ...message, parts: message.parts.map(part) }));
  return { ...request, tools, messages };
}

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
