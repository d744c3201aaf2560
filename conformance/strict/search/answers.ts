import { asArray, asObject } from '../../shared/json.ts';
import type { ReceivedRequest } from '../rule.ts';

/*
 * Default responses of services that embed or rank. The first number of a vector is the length of its text divided by
 * 1024, so that a test can match vectors to texts. Every text has as many tokens as characters.
 */

const CHARACTERS = 1_024;

export function vectorOf(text: unknown): readonly number[] {
  return [sizeOf(text) / CHARACTERS, -0.25];
}

function sizeOf(text: unknown): number {
  return Array.isArray(text) || typeof text === 'string' ? text.length : 0;
}

function sum(texts: readonly unknown[]): number {
  return texts.reduce<number>((total, text) => total + sizeOf(text), 0);
}

function openaiEmbeddings({ body }: ReceivedRequest): Response {
  const { input, encoding_format: encoding } = asObject(body);
  const inputs = Array.isArray(input) && typeof input[0] !== 'number' ? input : [input];
  const data = inputs.map((text, index) => {
    const vector = vectorOf(text);
    const inBase64 = () => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
    return { object: 'embedding', index, embedding: encoding === 'base64' ? inBase64() : vector };
  });
  const tokens = sum(inputs);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return Response.json({ object: 'list', model: 'upstream', data, usage });
}

function vertexEmbeddings({ body }: ReceivedRequest): Response {
  const predictions = asArray(asObject(body).instances).map((one) => {
    const { content } = asObject(one);
    return { embeddings: { values: vectorOf(content), statistics: { token_count: sizeOf(content) } } };
  });
  return Response.json({ predictions });
}

function geminiEmbeddings({ body }: ReceivedRequest): Response {
  const texts = asArray(asObject(body).requests).map(
    (one) => asObject(asArray(asObject(asObject(one).content).parts)[0]).text,
  );
  return Response.json({
    embeddings: texts.map((text) => ({ values: vectorOf(text) })),
    usageMetadata: { promptTokenCount: sum(texts) },
  });
}

function cohereEmbed({ body }: ReceivedRequest): Response {
  const texts = asArray(asObject(body).texts);
  return Response.json({
    embeddings: { float: texts.map(vectorOf) },
    meta: { billed_units: { input_tokens: sum(texts) } },
  });
}

/** Later documents get higher scores. */
function scored(documents: readonly unknown[], member: string): readonly object[] {
  return documents.map((_, index) => ({ index, [member]: (index + 1) / (documents.length + 1) })).toReversed();
}

function jinaRerank({ body }: ReceivedRequest): Response {
  const results = scored(asArray(asObject(body).documents), 'relevance_score');
  return Response.json({ model: 'upstream', results, usage: { total_tokens: 7 } });
}

function voyageRerank({ body }: ReceivedRequest): Response {
  const data = scored(asArray(asObject(body).documents), 'relevance_score');
  return Response.json({ object: 'list', data, model: 'upstream', usage: { total_tokens: 7 } });
}

function cohereRerank({ body }: ReceivedRequest): Response {
  const results = scored(asArray(asObject(body).documents), 'relevance_score');
  return Response.json({ results, meta: { billed_units: { search_units: 1 } } });
}

function teiRerank({ body }: ReceivedRequest): Response {
  return Response.json(scored(asArray(asObject(body).texts), 'score'), { headers: { 'x-compute-tokens': '7' } });
}

export const SEARCH_ANSWERS: Readonly<Record<string, (request: ReceivedRequest) => Response>> = {
  'openai-embeddings': openaiEmbeddings,
  'jina-embeddings': openaiEmbeddings,
  'voyage-embeddings': openaiEmbeddings,
  'vertex-embeddings': vertexEmbeddings,
  'gemini-embeddings': geminiEmbeddings,
  'cohere-embed': cohereEmbed,
  'jina-rerank': jinaRerank,
  'voyage-rerank': voyageRerank,
  'cohere-rerank': cohereRerank,
  'tei-rerank': teiRerank,
};
