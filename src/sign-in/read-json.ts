import { Failure } from '../domain/failure/failure.ts';

const MOST_BYTES = 64 * 1024;

/** The body as an object; a failure where it is none, or too large. */
export async function readJson(request: Request): Promise<Readonly<Record<string, unknown>> | Failure> {
  const text = await readText(request);
  if (text instanceof Failure) return text;
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  return new Failure('invalid_json', { message: 'The body must be a JSON object.' });
}

async function readText(request: Request): Promise<string | Failure> {
  if (request.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES)
      return new Failure('payload_too_large', { message: `The body may have ${MOST_BYTES} bytes.` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
