import type { SearchResult } from '../../../domain/search/search.ts';
import type { AnswerPatch } from '../../wire.ts';

/** Returns the answer for a client, in Perplexity's shape with the model and `_routing`. */
export function encodeAnswer(results: readonly SearchResult[], { publicModel, routing }: AnswerPatch): string {
  const written = JSON.stringify({ object: 'search', model: publicModel, results: results.map(resultOf) });
  return `${written.slice(0, -1)},"_routing":${routing.json}}`;
}

function resultOf({ title, url, snippet, date }: SearchResult) {
  return { title, url, snippet, date };
}
