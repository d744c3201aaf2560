import type { Citation, Part } from '../../../domain/exchange/part.ts';
import { textOrNull } from '../../shared/json/json-values.ts';
import { addMembers, isRecord } from '../../shared/json/record.ts';
import { BoundedSearch, TextOffsets } from '../shared/text-offsets.ts';
import { memberOf, numberOf, type WireObject } from './decoding.ts';
import { FORMAT } from './schema.ts';

/*
 * Google returns sources in two members: `groundingMetadata` (chunks, and supports that link them to spans of the answer)
 * and `citationMetadata` (recited passages). Both count UTF-8 bytes; a Citation counts UTF-16 code units.
 */

/** A span of the answer's text with its source, before the text part that holds it is known. */
interface Source {
  readonly citation: Omit<Citation, 'start' | 'end'>;
  readonly segment: Segment | null;
}

interface Segment {
  readonly partIndex: number;
  readonly startByte: number;
  readonly endByte: number;
  /** The span's own text, if the API repeats it. */
  readonly text: string | null;
}

/** Returns the sources of a candidate. The first one carries the wire's whole object, for clients of this format. */
function sourcesOf(candidate: WireObject): readonly Source[] {
  const grounding = memberOf(candidate, 'groundingMetadata');
  const recited = memberOf(candidate, 'citationMetadata');
  return [
    ...(isRecord(grounding) ? groundedSources(grounding) : []),
    ...(isRecord(recited) ? recitedSources(recited) : []),
  ];
}

function groundedSources(grounding: WireObject): readonly Source[] {
  const chunks = listOf(memberOf(grounding, 'groundingChunks')).map(chunkSource);
  const sources: Source[] = [];
  const supported = new Set<number>();
  for (const support of listOf(memberOf(grounding, 'groundingSupports'))) {
    const indices = memberOf(support, 'groundingChunkIndices');
    const segment = memberOf(support, 'segment');
    for (const index of Array.isArray(indices) ? indices : []) {
      const citation = typeof index === 'number' ? chunks[index] : undefined;
      if (citation === undefined) continue;
      supported.add(index);
      sources.push({ citation, segment: isRecord(segment) ? segmentOf(segment) : null });
    }
  }
  chunks.forEach((citation, index) => {
    if (!supported.has(index)) sources.push({ citation, segment: null });
  });
  return withRaw(sources, { groundingMetadata: grounding });
}

function chunkSource(chunk: WireObject): Source['citation'] {
  const inner = [chunk.web, memberOf(chunk, 'retrievedContext'), chunk.maps].find(isRecord) ?? {};
  return {
    url: textOrNull(inner.uri),
    title: textOrNull(inner.title),
    citedText: textOrNull(inner.text),
    documentIndex: null,
    raw: null,
  };
}

function recitedSources(recited: WireObject): readonly Source[] {
  // Vertex has `citations` where the Gemini API has `citationSources`.
  const sources = listOf(memberOf(recited, 'citationSources') ?? recited.citations).map((source) => ({
    citation: {
      url: textOrNull(source.uri),
      title: textOrNull(source.title),
      citedText: null,
      documentIndex: null,
      raw: null,
    },
    segment: segmentOf(source),
  }));
  return withRaw(sources, { citationMetadata: recited });
}

function withRaw(sources: readonly Source[], value: WireObject): readonly Source[] {
  return sources.map((source, index) =>
    index === 0 ? { ...source, citation: { ...source.citation, raw: { format: FORMAT, value } } } : source,
  );
}

function segmentOf(segment: WireObject): Segment | null {
  const endByte = numberOf(memberOf(segment, 'endIndex'));
  if (endByte === null) return null;
  return {
    partIndex: numberOf(memberOf(segment, 'partIndex')) ?? 0,
    startByte: numberOf(memberOf(segment, 'startIndex')) ?? 0,
    endByte,
    text: textOrNull(segment.text),
  };
}

/** Adds a whole answer's citations to the text parts that they belong to. Answers without sources pass unchanged. */
export function withCitations(parts: readonly Part[], candidate: WireObject): readonly Part[] {
  const sources = sourcesOf(candidate);
  if (sources.length === 0) return parts;
  const byPart = new Map<number, Citation[]>();
  const lastText = parts.findLastIndex((part) => part.type === 'text');
  const places = new Places(parts);
  for (const { citation, segment } of sources) {
    const { at, ...span } = segment === null ? NOWHERE : places.of(segment);
    const index = at < 0 ? lastText : at;
    const known = byPart.get(index);
    const placed = { ...citation, ...span };
    if (known === undefined) byPart.set(index, [placed]);
    else known.push(placed);
  }
  const cited = parts.map((part, index) => {
    const citations = byPart.get(index);
    return part.type === 'text' && citations !== undefined ? { ...part, citations } : part;
  });
  const homeless = byPart.get(-1);
  return homeless === undefined ? cited : [...cited, { type: 'text', text: '', citations: homeless }];
}

interface Span {
  readonly start: number | null;
  readonly end: number | null;
}

const NO_SPAN: Span = { start: null, end: null };
const NOWHERE = { at: -1, ...NO_SPAN };

/** Finds the positions of one answer's segments in its parts. */
class Places {
  private readonly offsets = new Map<number, TextOffsets>();
  private readonly search = new BoundedSearch();

  constructor(private readonly parts: readonly Part[]) {}

  /**
   * Returns the position in the part that `partIndex` names, if that part has the segment's text there; otherwise in the first
   * text part that contains it.
   */
  of(segment: Segment): Span & { readonly at: number } {
    const named = this.offsetsOf(segment.partIndex);
    const exact = named && exactSpan(named, segment);
    if (exact) return { at: segment.partIndex, ...exact };
    const found = named && searchedSpan(named.text, segment, this.search);
    if (found) return { at: segment.partIndex, ...found };
    for (let at = 0; at < this.parts.length; at++) {
      const offsets = at === segment.partIndex ? null : this.offsetsOf(at);
      if (offsets === null) continue;
      const span = exactSpan(offsets, segment) ?? searchedSpan(offsets.text, segment, this.search);
      if (span !== null) return { at, ...span };
    }
    return NOWHERE;
  }

  private offsetsOf(at: number): TextOffsets | null {
    const known = this.offsets.get(at);
    if (known !== undefined) return known;
    const part = this.parts[at];
    if (part?.type !== 'text') return null;
    const offsets = new TextOffsets(part.text);
    this.offsets.set(at, offsets);
    return offsets;
  }
}

/** Returns the span that the segment states; `null` if the segment's text is not there. */
function exactSpan(offsets: TextOffsets, { startByte, endByte, text }: Segment): Span | null {
  const start = offsets.ofBytes(startByte);
  const end = offsets.ofBytes(endByte);
  return text === null || offsets.text.slice(start, end) === text ? { start, end } : null;
}

/** Searches for the segment's text, in case the API counts positions differently. */
function searchedSpan(text: string, segment: Segment, search: BoundedSearch): Span | null {
  if (segment.text === null) return null;
  const start = search.find(text, segment.text);
  return start < 0 ? null : { start, end: start + segment.text.length };
}

/**
 * The citations of a stream's text so far, each emitted once: Google repeats and extends the metadata from chunk to chunk.
 */
export class StreamedCitations {
  private readonly seen = new Set<string>();
  private readonly search = new BoundedSearch();

  /** Returns the citations that are new in this chunk. `text` returns all text of the candidate's open block. */
  next(candidate: WireObject, text: () => string): readonly Citation[] {
    const fresh: Citation[] = [];
    let offsets: TextOffsets | null = null;
    for (const { citation, segment } of sourcesOf(candidate)) {
      const key = JSON.stringify([citation.url, citation.title, citation.citedText, segment]);
      if (this.seen.has(key)) continue;
      this.seen.add(key);
      if (segment === null) {
        fresh.push({ ...citation, ...NO_SPAN });
        continue;
      }
      offsets ??= new TextOffsets(text());
      const span = exactSpan(offsets, segment) ?? searchedSpan(offsets.text, segment, this.search) ?? NO_SPAN;
      fresh.push({ ...citation, ...span });
    }
    return fresh;
  }
}

/** Returns the number of searches that Google ran for a candidate. */
export function webSearchesOf(candidate: WireObject): number {
  const grounding = memberOf(candidate, 'groundingMetadata');
  const queries = isRecord(grounding) ? memberOf(grounding, 'webSearchQueries') : null;
  return Array.isArray(queries) ? queries.length : 0;
}

// ---- to a client of this format

/** A citation, and the text part that its offsets refer to. */
export interface PlacedCitation {
  readonly citation: Citation;
  readonly partIndex: number;
  readonly text: string;
}

/** Returns the members `groundingMetadata` and `citationMetadata` of a candidate; empty if there are no citations. */
export function encodeCitations(placed: readonly PlacedCitation[], queries: readonly string[] = []): WireObject {
  const searched = queries.length === 0 ? {} : { webSearchQueries: queries };
  if (placed.length === 0) return queries.length === 0 ? {} : { groundingMetadata: searched };
  const own = addMembers({}, ...placed.map(({ citation }) => ownValue(citation)));
  if (Object.keys(own).length > 0) return own;
  const chunks: WireObject[] = [];
  const indexOfChunk = new Map<string, number>();
  const supports: WireObject[] = [];
  for (const { citation, partIndex, text } of placed) {
    const key = JSON.stringify([citation.url, citation.title, citation.citedText]);
    const index = indexOfChunk.get(key) ?? chunks.length;
    if (index === chunks.length) {
      indexOfChunk.set(key, index);
      chunks.push(encodeChunk(citation));
    }
    if (citation.start === null || citation.end === null) continue;
    const segment = encodeSegment(text, citation.start, citation.end, partIndex);
    supports.push({ segment, groundingChunkIndices: [index] });
  }
  return {
    groundingMetadata: {
      ...searched,
      groundingChunks: chunks,
      ...(supports.length > 0 ? { groundingSupports: supports } : {}),
    },
  };
}

function ownValue({ raw }: Citation): WireObject {
  return raw?.format === FORMAT && isRecord(raw.value) ? raw.value : {};
}

/** Encodes a source: a web page has a URL; a passage of the client's own documents has its text. */
function encodeChunk({ url, title, citedText }: Citation): WireObject {
  const named = { ...(url === null ? {} : { uri: url }), ...(title === null ? {} : { title }) };
  if (citedText === null) return { web: named };
  return { retrievedContext: { ...named, text: citedText } };
}

function encodeSegment(text: string, start: number, end: number, partIndex: number): WireObject {
  return {
    ...(partIndex === 0 ? {} : { partIndex }),
    startIndex: Buffer.byteLength(text.slice(0, start)),
    endIndex: Buffer.byteLength(text.slice(0, end)),
    text: text.slice(start, end),
  };
}

function listOf(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
