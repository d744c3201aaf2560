import { asObject, parseJson } from '../shared/json.ts';
import type { ReceivedForm, ReceivedRequest } from './rule.ts';

export interface RawRequest {
  readonly method: string;
  /** Below the upstream's base URL, with the query. */
  readonly target: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads a request as rules see it. */
export async function receivedOf({ method, target, headers, bytes }: RawRequest): Promise<ReceivedRequest> {
  const { pathname: path, searchParams: query } = new URL(target, 'http://upstream');
  const contentType = headers.get('content-type') ?? '';
  const isForm = contentType.startsWith('multipart/form-data');
  const form = isForm ? await new Response(bytes, { headers: { 'content-type': contentType } }).formData() : null;
  const text = isForm ? '' : new TextDecoder().decode(bytes);
  const body = text === '' ? undefined : parseJson(text);
  return { method, path, query, headers, model: modelOf(path, query, body, form), text, body, form };
}

/** Bedrock's ids hold colons and, percent-encoded, slashes; elsewhere a colon ends the id. */
const IN_PATH = [/\/model\/([^/]+)\//, /\/(?:models|deployments)\/([^/:]+)/];

function modelOf(path: string, query: URLSearchParams, body: unknown, form: ReceivedForm | null): string {
  const { model, model_id: id } = asObject(body);
  const named = model ?? id ?? form?.get('model') ?? form?.get('model_id') ?? query.get('model');
  if (typeof named === 'string') return named;
  const found = IN_PATH.map((pattern) => pattern.exec(path)?.[1]).find((id) => id !== undefined);
  return decodeURIComponent(found ?? '');
}
