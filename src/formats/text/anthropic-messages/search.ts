import type { RanSearch } from '../../../domain/exchange/web-search.ts';
import { ownSearchId, type SearchWriting } from '../shared/gateway-search.ts';
import { STATE_MARKER } from '../shared/state-token.ts';
import { FORMAT } from './schema.ts';

/** Shows a search as a call of the server's tool and its result. */
export const searchWriting: SearchWriting = {
  citesBlocks: true,
  shown(search) {
    const id = ownSearchId('srvtoolu_', search);
    const call = { type: 'server_tool_use', id, name: 'web_search', input: { query: search.query } };
    const result = { type: 'web_search_tool_result', tool_use_id: id, content: contentOf(search) };
    return [call, result].map((value) => ({ type: 'unknown', format: FORMAT, value }));
  },
};

/** Returns the results. The marker keeps them from being relayed to Anthropic, which cannot decrypt them. */
function contentOf({ pages, error }: RanSearch): unknown {
  if (error !== null) return { type: 'web_search_tool_result_error', error_code: error };
  return pages.map(({ url, title, published }) => ({
    type: 'web_search_result',
    url,
    title,
    encrypted_content: STATE_MARKER,
    page_age: published,
  }));
}
