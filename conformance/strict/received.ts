import { asObject, parseJson } from '../shared/json.ts';
import type { ReceivedFile, ReceivedForm, ReceivedRequest } from './rule.ts';

export interface RawRequest {
  readonly method: string;
  /** The path after the upstream's base URL, with the query. */
  readonly target: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Parses a request for the rules. */
export async function receivedOf({ method, target, headers, bytes }: RawRequest): Promise<ReceivedRequest> {
  const { pathname: path, searchParams: query } = new URL(target, 'http://upstream');
  const contentType = headers.get('content-type') ?? '';
  const isForm = contentType.startsWith('multipart/form-data');
  const form = isForm ? await new Response(bytes, { headers: { 'content-type': contentType } }).formData() : null;
  const text = isForm ? '' : new TextDecoder().decode(bytes);
  const body = text === '' ? undefined : parseJson(text);
  const files = form === null ? [] : await filesOf(form);
  return { method, path, query, headers, model: modelOf(path, query, body, form), text, body, form, files };
}

function filesOf(form: ReceivedForm): Promise<readonly ReceivedFile[]> {
  const found = [...form.entries()].flatMap(([part, value]) => (value instanceof Blob ? [{ part, file: value }] : []));
  return Promise.all(
    found.map(async ({ part, file }) => ({
      part,
      mediaType: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/**
 * Bedrock's ids contain colons and percent-encoded slashes; elsewhere a colon ends the id. FLUX models are in
 * the path by name.
 */
const IN_PATH = [
  /\/model\/([^/]+)\//,
  /\/models\/(.+)\/predictions$/,
  /\/(?:models|deployments)\/([^/:]+)/,
  /^\/(flux-[^/]+)$/,
  /^\/v1\/(ideogram-v\d|edit)(?:\/|$)/,
];

function modelOf(path: string, query: URLSearchParams, body: unknown, form: ReceivedForm | null): string {
  const { model, model_id: id } = asObject(body);
  const named = model ?? id ?? form?.get('model') ?? form?.get('model_id') ?? query.get('model');
  if (typeof named === 'string') return named;
  const found = IN_PATH.map((pattern) => pattern.exec(path)?.[1]).find((id) => id !== undefined);
  return decodeURIComponent(found ?? '');
}
