import { vectorAsBase64, vectorAsList } from '../../formats/embeddings/shared/vector-text.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';

/* How the providers inside the process answer: as OpenAI's API does. */

export interface LocalVectors {
  readonly model: string;
  /** In the order of the inputs. */
  readonly vectors: Iterable<Float32Array>;
  readonly encoding: 'float' | 'base64';
  readonly tokens: number;
}

/** The answer to a request for embeddings, as JSON text. */
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
