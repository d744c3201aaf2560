import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';

/**
 * The response headers in which providers give their request id, most common first: OpenAI and most others, Anthropic,
 * Amazon, Azure's gateway, Google, and providers behind Cloudflare that send no id of their own.
 */
const HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'x-goog-request-id', 'cf-ray'];
const LONGEST = 128;

/** Returns the upstream's own request id, which a support request to the provider can quote. Removes all characters but printable ASCII. */
export function upstreamRequestIdOf(headers: AnswerHeaders): string | null {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    const id = /^[\x21-\x7e]{1,128}$/.test(value) ? value : value.slice(0, 4 * LONGEST).replace(/[^\x21-\x7e]/g, '');
    if (id !== '') return id.slice(0, LONGEST);
  }
  return null;
}
