import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { EmbeddingWire } from '../../embeddings/wire.ts';

/** Returns a client's request to embed these texts, with additional members. */
export function embeddingOf(texts: readonly string[], more: Readonly<Record<string, unknown>> = {}): EmbeddingRequest {
  const body = { model: 'public', input: texts, ...more };
  return {
    ...{ model: 'public', inputs: { kind: 'texts', texts }, encoding: 'float', user: null },
    dimensions: typeof more.dimensions === 'number' ? more.dimensions : null,
    ...{ bytes: new TextEncoder().encode(JSON.stringify(body)), body },
  };
}

/** Returns what the wire sends to a model, and the request members that were lost. */
export function sentOver(wire: EmbeddingWire, request: EmbeddingRequest, upstreamModel = 'theirs') {
  const encoded = wire.encodeRequest(request, { upstreamModel });
  if (encoded instanceof Failure) throw new Error(encoded.message);
  const body: unknown = JSON.parse(new TextDecoder().decode(encoded.body));
  return { body, lost: encoded.losses.map(({ field }) => field) };
}

/** Returns how the wire decodes an upstream's answer, given as a text or a value. */
export async function answeredOver(
  wire: EmbeddingWire,
  answer: unknown,
  request: EmbeddingRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<EmbeddingAnswer | Failure> {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  return await wire.decodeAnswer(new TextEncoder().encode(text), request, new Headers(headers));
}
