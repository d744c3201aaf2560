import type { Usage } from '../../../domain/exchange/usage.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';

/** What a reasoning model does with what it has found costs its tokens (OpenAI, "Web search": search actions are billed). */
const FREE_ACTIONS: ReadonlySet<unknown> = new Set(['open_page', 'find_in_page', 'find']);

/** Whether an output item (Responses) or a block (Anthropic) is a web search that the provider ran and bills by the call. */
export function isHostedSearch(item: unknown): boolean {
  if (!isRecord(item)) return false;
  if (item.type === 'server_tool_use') return item.name === 'web_search';
  if (item.type !== 'web_search_call') return false;
  return !(isRecord(item.action) && FREE_ACTIONS.has(item.action.type));
}

/** A report with the searches that the answer shows, where it names no number of them itself. */
export function withSearches(usage: Usage | null, items: unknown): Usage | null {
  if (usage === null || usage.webSearches !== undefined) return usage;
  const webSearches = listOf(items).filter(isHostedSearch).length;
  return webSearches === 0 ? usage : { ...usage, webSearches };
}
