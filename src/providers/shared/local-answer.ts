import { vectorAsBase64, vectorAsList } from '../../formats/embeddings/shared/vector-text.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';

/* Answers of the providers inside the process, in the format of OpenAI's API. */

export interface LocalVectors {
  readonly model: string;
  /** One vector per input, in order. */
  readonly vectors: Iterable<Float32Array>;
  readonly encoding: 'float' | 'base64';
  readonly tokens: number;
}

/** Returns the answer to an embeddings request as JSON text. */
export async function embeddingsText({ model, vectors, encoding, tokens }: LocalVectors): Promise<string> {
  const turns = new Turns();
  const items: string[] = [];
  for (const vector of vectors) {
    const embedding = encoding === 'base64' ? JSON.stringify(vectorAsBase64(vector)) : vectorAsList(vector);
    items.push(`{"object":"embedding","index":${items.length},"embedding":${embedding}}`);
    if (turns.isOver) await turns.next();
  }
  const usage = JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens });
  return `{"object":"list","data":[${items.join(',')}],"model":${JSON.stringify(model)},"usage":${usage}}`;
}

export interface LocalFailureDetails {
  readonly param?: string | null;
  readonly code?: string | null;
  readonly type?: string;
  readonly retryAfterS?: number;
}

export function localFailure(status: number, message: string, details: LocalFailureDetails = {}): Response {
  const { param = null, code = null, type = 'invalid_request_error', retryAfterS } = details;
  const headers = new Headers(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) });
  return Response.json({ error: { message, type, param, code } }, { status, headers });
}
