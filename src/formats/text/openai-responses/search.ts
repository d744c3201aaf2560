import { ownSearchId, type SearchWriting } from '../shared/gateway-search.ts';
import { FORMAT } from './schema.ts';

/** Shows a search as an item `web_search_call`. */
export const searchWriting: SearchWriting = {
  citesBlocks: false,
  shown(search) {
    const { query, pages, error } = search;
    const sources = pages.map(({ url }) => ({ type: 'url', url }));
    const value = {
      id: ownSearchId('ws_', search),
      type: 'web_search_call',
      status: error === null ? 'completed' : 'failed',
      action: { type: 'search', query, queries: [query], sources },
    };
    return [{ type: 'unknown', format: FORMAT, value }];
  },
};
