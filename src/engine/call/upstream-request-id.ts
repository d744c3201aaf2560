/**
 * Where providers name a request, the likeliest first: OpenAI and most others, Anthropic, Amazon, Azure's gateway, Google, and
 * whoever stands behind Cloudflare and says nothing else.
 */
const HEADERS = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'x-goog-request-id', 'cf-ray'];
const LONGEST = 128;

/** The upstream's own id of a request, to quote in a report to the provider; without anything that is no printable ASCII. */
export function upstreamRequestIdOf(headers: Headers): string | null {
  for (const name of HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    const id = /^[\x21-\x7e]{1,128}$/.test(value) ? value : value.slice(0, 4 * LONGEST).replace(/[^\x21-\x7e]/g, '');
    if (id !== '') return id.slice(0, LONGEST);
  }
  return null;
}
