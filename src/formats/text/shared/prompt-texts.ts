/** Members whose text may be a medium's bytes or sealed state, neither of which is counted as text. */
const SEALED: ReadonlySet<string> = new Set([
  'data',
  'url',
  'image_url',
  'video_url',
  'file_data',
  'result',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
]);
const LONG_CHARS = 256;
const BASE64_OR_DATA_URL = /^(?:data:|[\w+/=-]+$)/;

/**
 * Returns all names and texts in a request's body, except for media payloads, in no particular order: what a tokenizer has to
 * count.
 */
export function promptTexts(body: unknown): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (Array.isArray(value)) for (const one of value) open.push(one);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        texts.push(name);
        if (!isSealed(name, member)) open.push(member);
      }
    }
  }
  return texts;
}

function isSealed(name: string, value: unknown): boolean {
  return (
    SEALED.has(name) &&
    typeof value === 'string' &&
    value.length > LONG_CHARS &&
    BASE64_OR_DATA_URL.test(value.slice(0, LONG_CHARS))
  );
}
