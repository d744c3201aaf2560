import type { Citation } from '../../../domain/exchange/part.ts';
import { isRecord } from '../../shared/json/record.ts';
import { FORMAT } from './schema.ts';

/* The sources of an answer: OpenAI's `url_citation` annotations, and the shapes of providers that have their own search. */

type Json = Readonly<Record<string, unknown>>;

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function offset(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function citation(raw: Json, said: Partial<Citation>): Citation {
  const nothing = { url: null, title: null, citedText: null, start: null, end: null, documentIndex: null };
  return { ...nothing, ...said, raw: { format: FORMAT, value: raw } };
}

/** Reads an annotation. Some providers leave out the inner object. `null` for an annotation that is not a citation. */
export function citationOf(annotation: unknown): Citation | null {
  if (!isRecord(annotation) || annotation.type !== 'url_citation') return null;
  const source = isRecord(annotation.url_citation) ? annotation.url_citation : annotation;
  // Servers that write zero values for missing members send an empty span at position 0 where there is no span.
  const hasSpan = Boolean(source.start_index) || Boolean(source.end_index);
  return citation(annotation, {
    url: text(source.url),
    title: text(source.title),
    citedText: text(source.content),
    start: hasSpan ? offset(source.start_index) : null,
    end: hasSpan ? offset(source.end_index) : null,
  });
}

/** Returns whether an answer has one of the members that `citationsBeside` reads. */
export function mayHaveCitationsBeside({ venice_parameters, search_results, citations }: Json): boolean {
  return venice_parameters !== undefined || search_results !== undefined || citations !== undefined;
}

/**
 * Sources next to the choices: Perplexity's `search_results` and plain `citations`, Venice's
 * `venice_parameters.web_search_citations`. They apply to the whole answer.
 */
export function citationsBeside(answer: Json): Citation[] {
  const venice = isRecord(answer.venice_parameters) ? answer.venice_parameters.web_search_citations : null;
  for (const results of [answer.search_results, venice]) {
    if (!Array.isArray(results) || results.length === 0) continue;
    return results.filter(isRecord).map((result) => {
      const citedText = text(result.snippet) ?? text(result.content);
      return citation(result, { url: text(result.url), title: text(result.title), citedText });
    });
  }
  if (!Array.isArray(answer.citations)) return [];
  return answer.citations.flatMap((source: unknown) => {
    if (typeof source === 'string') return [citation({ url: source }, { url: source })];
    return isRecord(source) && text(source.url) !== null
      ? [citation(source, { url: text(source.url), title: text(source.title) })]
      : [];
  });
}

/** Decodes Mistral's `reference` block, which names sources by number only. */
export function referenceCitation(block: Json): Citation {
  return citation(block, {});
}

/**
 * Returns an annotation in the shape of OpenAI's document, as JSON text; `null` for a source without a URL. `base` is the length
 * of the message's text before the cited part. A source of the whole answer has no span, but OpenAI's shape requires one.
 */
export function annotationJson({ url, title, start, end }: Citation, base: number): string | null {
  if (url === null) return null;
  const span = { start_index: base + (start ?? 0), end_index: base + (end ?? 0) };
  return JSON.stringify({ type: 'url_citation', url_citation: { ...span, url, title: title ?? url } });
}
