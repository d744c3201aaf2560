import { Failure } from '../../domain/failure/failure.ts';
import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest } from '../format.ts';
import { bearerSecret } from '../shared/credentials.ts';
import { isRecord } from '../shared/record.ts';

const PREFIX = '/v1beta/models/';
/** Origin and route: `@google/genai` 3 asks for `v1` where it is not told otherwise, and both versions are the same here. */
const ROUTE = /^(?:[a-z]+:\/\/[^/]*)?\/v1(?:beta)?\/models\//i;

/** What a path's method asks for: the published document has these three for text models. */
const METHODS: Readonly<Record<string, { readonly operation: InboundCall['operation']; readonly stream: boolean }>> = {
  generateContent: { operation: 'generate', stream: false },
  streamGenerateContent: { operation: 'generate', stream: true },
  countTokens: { operation: 'count-tokens', stream: false },
};

export const endpoints: readonly Endpoint[] = [
  { path: `${PREFIX}*`, call },
  { path: '/v1/models/*', shared: true, call },
];

/** Lower-case names of the client's headers that go upstream on the relay lane: none changes what the API answers. */
export const relayedHeaders: readonly string[] = [];

/**
 * The call that `/v1beta/models/{model}:{method}` makes. A model's id may hold slashes and colons (`meta/llama:free`), so
 * the method is what follows the last colon; each may be percent-encoded.
 */
function call(url: string): InboundCall | Failure {
  const { path, query } = splitUrl(url);
  const name = decoded(path.replace(ROUTE, ''));
  const colon = name.lastIndexOf(':');
  const method = colon < 0 ? undefined : METHODS[name.slice(colon + 1)];
  if (method === undefined || !Object.hasOwn(METHODS, name.slice(colon + 1)) || colon === 0) {
    return new Failure('unknown_url', {
      message: `There is no ${PREFIX}${name.slice(0, 200)}.`,
      hint: `Send a POST to ${PREFIX}{model}:generateContent, :streamGenerateContent or :countTokens`,
    });
  }
  return {
    operation: method.operation,
    model: name.slice(0, colon),
    stream: method.stream,
    framing: query.get('alt') === 'sse' || query.get('$alt') === 'sse' ? 'sse' : 'json-array',
  };
}

/** The key as Google's clients send it: a header, the query parameter `key`, or a Bearer token. */
export function secret(headers: Headers, url: string): string | null {
  const bearer = bearerSecret(headers.get('authorization'));
  const key = headers.get('x-goog-api-key')?.trim();
  return key || bearer || splitUrl(url).query.get('key')?.trim() || null;
}

function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  return { path, query: new URLSearchParams(question < 0 ? '' : url.slice(question + 1).replace(/#.*$/, '')) };
}

/** A malformed escape stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function conversation({ body }: ParsedRequest): Conversation {
  const cached = body.cachedContent ?? body.cached_content;
  return {
    lead: body.systemInstruction ?? body.system_instruction,
    turns: Array.isArray(body.contents) ? body.contents : [],
    isAnswer: (turn) => isRecord(turn) && turn.role === 'model',
    cacheKey: typeof cached === 'string' ? cached : null,
  };
}

/** The bound is each candidate's own. */
export function outputBound({ body }: ParsedRequest): OutputBound {
  const config = body.generationConfig ?? body.generation_config;
  if (!isRecord(config)) return { tokens: null, choices: 1 };
  const count = config.candidateCount ?? config.candidate_count;
  const each = config.maxOutputTokens ?? config.max_output_tokens;
  const choices = typeof count === 'number' ? count : 1;
  return { tokens: typeof each === 'number' ? each * choices : null, choices };
}
