import { createHash } from 'node:crypto';
import { openaiChat } from '../../formats/openai-chat/index.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { baseUrlsAt, type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import type { RouteHandler } from './route.ts';

export interface FrontPageOptions extends PublicOriginOptions {
  readonly newRequestId: () => string;
}

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #8884;vertical-align:top}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}`;

/** The page runs no scripts, loads nothing, and may not be framed. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'accept',
};

/** `GET /`: what this is, that it runs, and the base URL for each client; nothing that a client does not know already. */
export function frontPage(options: FrontPageOptions): RouteHandler {
  const { newRequestId } = options;
  return (request, connections) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return methodNotAllowed(request, openaiChat, { allow: 'GET, HEAD', newRequestId });
    const origin = publicOrigin(request, connections, options);
    const isHtml = acceptsHtml(request.headers.get('accept'));
    const type = isHtml
      ? { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }
      : { 'content-type': 'application/json' };
    const headers = { ...HEADERS, ...type, 'x-request-id': newRequestId() };
    const body = isHtml ? html(origin) : JSON.stringify(described(origin), null, 2);
    return new Response(request.method === 'HEAD' ? null : body, { headers });
  };
}

/** A browser names HTML; a client that takes anything gets JSON. */
function acceptsHtml(accept: string | null): boolean {
  return accept !== null && /\btext\/html\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/i.test(accept);
}

const CLIENTS = [
  ["OpenAI's SDKs (chat completions, Responses, embeddings), Codex, and other OpenAI-compatible clients", 'openai'],
  ["Anthropic's SDKs, Claude Code", 'anthropic'],
  ["Google's Gen AI SDKs, Gemini CLI", 'gemini'],
] as const;

const READABLE = [
  ['/docs', 'the API reference'],
  ['/docs/guides', 'guides with examples: a first request, streaming, tools, errors …'],
  ['/v1/models', 'the models that a key can ask, with what is known of them'],
  ['/v1/pricing', 'what they cost'],
  ['/openapi.json', 'all endpoints, as an OpenAPI document (also /openapi.yaml)'],
  ['/healthz', 'whether the process runs'],
  ['/readyz', 'whether it takes requests'],
] as const;

function described(origin: string) {
  return {
    name: 'Switchyard',
    description: 'An AI gateway: one key for many models, in the formats of OpenAI, Anthropic and Google.',
    status: 'running',
    base_urls: { ...baseUrlsAt(origin), azure: origin },
    authentication: 'The key that the operator has given you (sk-…), sent as each SDK sends its own.',
    endpoints: Object.fromEntries(READABLE.map(([path, what]) => [path, what])),
  };
}

function html(origin: string): string {
  const { name, description, authentication } = described(origin);
  const urls = baseUrlsAt(origin);
  const clients = CLIENTS.map(([client, vendor]) => row(escaped(client), `<code>${escaped(urls[vendor])}</code>`));
  const azure = row("Azure OpenAI's SDKs, with the model as the deployment", `<code>${escaped(origin)}</code>`);
  const readable = READABLE.map(([path, what]) => row(`<code>GET ${path}</code>`, escaped(what)));
  // Relative, since a proxy may have the gateway below a path.
  const documents =
    'The <a href="docs">API reference</a> describes all endpoints, the <a href="docs/guides">guides</a> how they are used.';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title><style>${STYLE}</style></head>
<body><main><h1>${name}</h1>
<p>${escaped(description)} It is running.</p>
<h2>Base URLs</h2>
<table><thead><tr><th scope="col">client</th><th scope="col">base URL</th></tr></thead><tbody>${clients.join('')}${azure}</tbody></table>
<p>${escaped(authentication)}</p>
<h2>What can be read</h2>
<table><tbody>${readable.join('')}</tbody></table>
<p>${documents}</p>
</main></body></html>
`;
}

function row(left: string, right: string): string {
  return `<tr><td>${left}</td><td>${right}</td></tr>`;
}

function escaped(text: string): string {
  return Bun.escapeHTML(text);
}
