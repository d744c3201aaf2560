import type { Citation } from '../../../domain/exchange/part.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { FORMAT } from './schema.ts';

type Wire = Readonly<Record<string, unknown>>;

/* A text block's sources, in answers and in the turns that a client sends back. */

/** Decodes a citation. Anthropic cites a whole text block, so there is no span inside the block. */
export function decodeCitation(value: unknown): Citation {
  const wire = isRecord(value) ? value : {};
  return {
    url: nonEmptyText(wire.url) ?? (wire.type === 'search_result_location' ? nonEmptyText(wire.source) : null),
    title: nonEmptyText(wire.title) ?? nonEmptyText(wire.document_title),
    citedText: nonEmptyText(wire.cited_text),
    start: null,
    end: null,
    documentIndex: typeof wire.document_index === 'number' && !isFromSearch(wire) ? wire.document_index : null,
    raw: { format: FORMAT, value },
  };
}

/** Returns whether the citation is from a search. Its source is then not a document of the request. */
function isFromSearch({ type }: Wire): boolean {
  return type === 'web_search_result_location' || type === 'search_result_location';
}

/**
 * Returns a citation in this format; `null` if the format has no shape for it. Another provider's web source becomes a web
 * search location with an empty `encrypted_index`. This marks it as foreign when the client sends it back.
 */
export function encodeCitation(citation: Citation): unknown {
  const { raw, url, title, citedText } = citation;
  if (raw?.format === FORMAT) return raw.value;
  if (url === null) return null;
  return { type: 'web_search_result_location', url, title, cited_text: citedText ?? '', encrypted_index: '' };
}

/** Returns whether Anthropic itself issued the citation, so that it may be sent back to Anthropic. */
export function isIssued({ raw }: Citation): boolean {
  return raw?.format === FORMAT && !(isRecord(raw.value) && raw.value.encrypted_index === '');
}
