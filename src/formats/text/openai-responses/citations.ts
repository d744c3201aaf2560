import type { Citation } from '../../../domain/exchange/part.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { FORMAT } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

export function decodeAnnotation(annotation: Json): Citation {
  const { url, title, filename, start_index: start, end_index: end } = annotation;
  // Servers that write zero values for missing members send an empty span at position 0 where there is no span.
  const hasSpan = Boolean(start) || Boolean(end);
  return {
    url: nonEmptyText(url),
    title: nonEmptyText(title) ?? nonEmptyText(filename),
    citedText: null,
    start: hasSpan && typeof start === 'number' ? start : null,
    end: hasSpan && typeof end === 'number' ? end : null,
    documentIndex: null,
    raw: { format: FORMAT, value: annotation },
  };
}

/**
 * Returns an annotation as JSON text; `null` for a source that the format cannot express. `length` is the length of the text so
 * far.
 */
export function annotationJson(citation: Citation, length: number): string | null {
  const { raw, url, title, start, end, documentIndex } = citation;
  if (raw?.format === FORMAT && isRecord(raw.value)) {
    // xAI leaves out members that the document requires of a link.
    const link = { start_index: 0, end_index: length, title: url ?? '' };
    return JSON.stringify(raw.value.type === 'url_citation' ? { ...link, ...raw.value } : raw.value);
  }
  if (url !== null) {
    const range = `"start_index":${start ?? 0},"end_index":${end ?? length}`;
    return `{"type":"url_citation","url":${JSON.stringify(url)},${range},"title":${JSON.stringify(title ?? url)}}`;
  }
  if (documentIndex === null && title === null) return null;
  const file = `"file_id":"document_${documentIndex ?? 0}","filename":${JSON.stringify(title ?? `document_${documentIndex ?? 0}`)}`;
  return `{"type":"file_citation","index":${end ?? length},${file}}`;
}
