import type { Usage } from '../../../domain/exchange/usage.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';

/** Actions on search results, which cost only tokens (OpenAI, "Web search": search actions are billed). */
const FREE_ACTIONS: ReadonlySet<unknown> = new Set(['open_page', 'find_in_page', 'find']);

/** Returns whether an output item (Responses) or a block (Anthropic) is a web search that the provider ran and bills per call. */
export function isHostedSearch(item: unknown): boolean {
  if (!isRecord(item)) return false;
  if (item.type === 'server_tool_use') return item.name === 'web_search';
  if (item.type !== 'web_search_call') return false;
  return !(isRecord(item.action) && FREE_ACTIONS.has(item.action.type));
}

/** Adds the number of searches in the answer to a usage report that does not state one. */
export function withSearches(usage: Usage | null, items: unknown): Usage | null {
  if (usage === null || usage.webSearches !== undefined) return usage;
  const webSearches = listOf(items).filter(isHostedSearch).length;
  return webSearches === 0 ? usage : { ...usage, webSearches };
}
