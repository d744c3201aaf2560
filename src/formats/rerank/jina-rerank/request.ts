import type { CacheControl } from '../../../domain/cache/cache.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { RerankRequest } from '../../../domain/rerank/rerank.ts';
import { isRecord } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { CACHE_CONTROL_NAMES, readCacheControl } from '../../shared/request/cache-control.ts';
import { charactersIn } from '../../shared/request/characters.ts';
import { type FoundNames, GovernedNames } from '../../shared/request/governed-names.ts';
import { missingField, modelOf, wrongField } from '../../shared/request/request-fields.ts';
import type { EncodedBody, WireTarget } from '../../wire.ts';
import { rerankBody } from '../shared/rerank-body.ts';

/** From the contract, Limits. */
const LONGEST_QUERY = 32_000;
const MOST_DOCUMENTS = 1_000;
const LONGEST_DOCUMENT = 100_000;
const LONGEST_DOCUMENTS = 2_000_000;

/** Members that the gateway reads. Each may occur only once, and only in its exact spelling. */
export const NAMES = new GovernedNames({
  model: true,
  query: true,
  documents: true,
  top_n: true,
  return_documents: true,
  ...CACHE_CONTROL_NAMES,
});

export interface ParsedRerank {
  readonly request: RerankRequest;
  /** The decoded body with all of its members. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The member names found in the body, which may include variants of the names that the gateway reads. */
  readonly names: FoundNames;
  /** The body's settings for the gateway's cache; `null` if it says nothing. */
  readonly cacheControl: CacheControl | null;
  /** Whether an upstream reads the body in the same way as the gateway. */
  readonly isUnambiguous: boolean;
}

export interface RerankReading {
  /** Whether the client may request more results than documents, as Cohere's API allows. */
  readonly takesLargeTopN: boolean;
}

/** Reads and checks a client's request (contract, POST /v1/rerank). */
export function parseRequest(
  source: BodySource,
  { takesLargeTopN }: RerankReading = { takesLargeTopN: false },
): ParsedRerank | Failure {
  const parsed = parseBody(source, '`model`, `query` and `documents`', NAMES);
  if (parsed instanceof Failure) return parsed;
  const { body, scan } = parsed;
  const { model: _model, query: _query, documents: _documents, top_n, return_documents, ...beside } = body;
  const { cache_control: _control, ...others } = beside;
  const model = modelOf(body.model, 'rerank');
  if (model instanceof Failure) return model;
  const query = queryOf(body.query);
  if (query instanceof Failure) return query;
  const documents = documentsOf(body.documents);
  if (documents instanceof Failure) return documents;
  const hasObjects = Array.isArray(body.documents) && body.documents.some(isRecord);
  const isLarge = takesLargeTopN && typeof top_n === 'number' && Number.isInteger(top_n) && top_n > documents.length;
  const topN = topNOf(isLarge ? null : top_n, documents.length);
  if (topN instanceof Failure) return topN;
  const returnsDocuments = return_documents ?? false;
  if (typeof returnsDocuments !== 'boolean') {
    return wrongField('invalid_type', 'return_documents', 'must be `true` or `false`');
  }
  const cacheControl = readCacheControl(body);
  if (cacheControl instanceof Failure) return cacheControl;
  const request = { model, query, documents, hasObjects, topN, returnsDocuments, others };
  return { request, body, names: scan, cacheControl, isUnambiguous: scan.isUnambiguous };
}

function queryOf(query: unknown): string | Failure {
  if (query === undefined || query === null) return missingField('query', 'the text to compare the documents with');
  if (typeof query !== 'string') return wrongField('invalid_type', 'query', 'must be a string');
  if (query === '')
    return wrongField('invalid_value', 'query', 'is empty; send the text to compare the documents with');
  const length = charactersIn(query, LONGEST_QUERY);
  return length > LONGEST_QUERY ? tooLong('query', length, LONGEST_QUERY) : query;
}

function documentsOf(documents: unknown): readonly string[] | Failure {
  if (documents === undefined || documents === null) return missingField('documents', 'the list of texts to rank');
  if (!Array.isArray(documents)) return wrongField('invalid_type', 'documents', 'must be a list of strings');
  const { length } = documents;
  if (length === 0) return wrongField('invalid_value', 'documents', 'is empty; send at least one text');
  if (length > MOST_DOCUMENTS) {
    const rule = `has ${length} documents; the limit is ${MOST_DOCUMENTS}. Send the rest in further requests`;
    return wrongField('invalid_value', 'documents', rule);
  }
  const texts: string[] = [];
  let total = 0;
  for (const [index, document] of documents.entries()) {
    const text: unknown = isRecord(document) ? document.text : document;
    if (typeof text !== 'string') {
      return wrongField('invalid_type', `documents[${index}]`, 'must be a string, or an object with a `text`');
    }
    const characters = charactersIn(text, LONGEST_DOCUMENT);
    if (characters > LONGEST_DOCUMENT) return tooLong(`documents[${index}]`, characters, LONGEST_DOCUMENT);
    total += characters;
    texts.push(text);
  }
  if (total > LONGEST_DOCUMENTS) total = texts.reduce((sum, text) => sum + charactersIn(text, 0), 0);
  return total > LONGEST_DOCUMENTS ? tooLong('documents', total, LONGEST_DOCUMENTS) : texts;
}

function topNOf(topN: unknown, documents: number): number | Failure {
  if (topN === undefined || topN === null) return documents;
  const rule = `must be a whole number from 1 to the number of documents, which is ${documents} here`;
  if (typeof topN !== 'number' || !Number.isInteger(topN)) return wrongField('invalid_type', 'top_n', rule);
  return topN >= 1 && topN <= documents ? topN : wrongField('invalid_value', 'top_n', rule);
}

function tooLong(param: string, characters: number, most: number): Failure {
  return new Failure('payload_too_large', {
    message: `\`${param}\` has ${characters} characters; the limit is ${most}.`,
    param,
    hint: 'Shorten the text, or split it across several requests.',
  });
}

/** Encodes a request for all documents without their texts: the gateway itself applies `top_n` and `return_documents`. */
export function encodeRequest(request: RerankRequest, target: WireTarget): EncodedBody {
  const { query, documents } = request;
  // Jina returns the texts by default.
  return rerankBody({ model: target.upstreamModel, query, documents, return_documents: false }, request, target);
}
