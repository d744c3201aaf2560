import type { Citation } from '../../domain/exchange/part.ts';
import { isRecord } from '../shared/record.ts';
import { FORMAT } from './endpoints.ts';

/* A text block's sources, in answers and in the turns that a client sends back. */

/** Anthropic cites a whole text block, so no span within it is said. */
export function decodeCitation(value: unknown): Citation {
  const wire = isRecord(value) ? value : {};
  return {
    url: textOf(wire.url) ?? (wire.type === 'search_result_location' ? textOf(wire.source) : null),
    title: textOf(wire.title) ?? textOf(wire.document_title),
    citedText: textOf(wire.cited_text),
    start: null,
    end: null,
    documentIndex: typeof wire.document_index === 'number' ? wire.document_index : null,
    raw: { format: FORMAT, value },
  };
}

/**
 * A citation as the format has it; `null` where it has no shape for it. Another provider's web source becomes a web search
 * location: its `encrypted_index` is empty, by which it is known again when the client sends it back.
 */
export function encodeCitation(citation: Citation): unknown {
  const { raw, url, title, citedText } = citation;
  if (raw?.format === FORMAT) return raw.value;
  if (url === null) return null;
  return { type: 'web_search_result_location', url, title, cited_text: citedText ?? '', encrypted_index: '' };
}

/** Whether Anthropic itself made it, so that it may go back there. */
export function isIssued({ raw }: Citation): boolean {
  return raw?.format === FORMAT && !(isRecord(raw.value) && raw.value.encrypted_index === '');
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
