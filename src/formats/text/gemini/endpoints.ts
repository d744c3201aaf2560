import { Failure } from '../../../domain/failure/failure.ts';
import { largestCount } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { requestTarget } from '../../shared/request/request-target.ts';
import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest } from '../client-request.ts';
import type { RelayedHeader } from '../format.ts';
import { keyReader } from '../shared/headers.ts';

const PREFIX = '/v1beta/models/';
/** `@google/genai` 3 uses `v1` by default. Both versions are the same here. */
const ROUTE = /^\/v1(?:beta)?\/models\//i;

/** The call for the method in a path. The published document has these three for text models. */
const METHODS: Readonly<Record<string, { readonly purpose: InboundCall['purpose']; readonly stream: boolean }>> = {
  generateContent: { purpose: 'generate', stream: false },
  streamGenerateContent: { purpose: 'generate', stream: true },
  countTokens: { purpose: 'count-tokens', stream: false },
};

export const endpoints: readonly Endpoint[] = [
  { path: `${PREFIX}*`, call },
  { path: '/v1/models/*', shared: true, call },
];

/** Empty: none of the clients' headers changes the API's answer. */
export const relayedHeaders: readonly RelayedHeader[] = [];

/** The query parameters that are read here, each with its alternative spelling (Google's system parameters). */
const GOVERNED_PARAMETERS: readonly (readonly string[])[] = [['key'], ['alt', '$alt']];

/**
 * Returns the call of `/v1beta/models/{model}:{method}`. A model's id may contain slashes and colons (`meta/llama:free`), so the
 * method is the text after the last colon. Both may be percent-encoded.
 */
function call(url: string): InboundCall | Failure {
  const { path, query } = requestTarget(url);
  for (const names of GOVERNED_PARAMETERS) {
    if (names.flatMap((name) => query.getAll(name)).length > 1) return standsTwice(names[0] ?? '');
  }
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
    purpose: method.purpose,
    model: name.slice(0, colon),
    stream: method.stream,
    framing: query.get('alt') === 'sse' || query.get('$alt') === 'sse' ? 'sse' : 'json-array',
  };
}

function standsTwice(param: string): Failure {
  return new Failure('invalid_value', {
    message: `The query parameter \`${param}\` appears twice in the URL, and servers disagree about which one counts. Send it once.`,
    param,
  });
}

const keyIn = keyReader('x-goog-api-key');

/**
 * Returns the key in the form that Google's clients send: a header, or the query parameter `key`, which counts only if no header
 * has a key.
 */
export function secret(headers: Headers, url: string): string | null {
  return keyIn(headers) ?? (requestTarget(url).query.get('key')?.trim() || null);
}

/** Decodes percent-encoding; a malformed escape sequence is kept unchanged. */
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

/** Returns the limit of each candidate. Google counts thinking towards it, but some other servers of this format do not. */
export function outputBound({ body }: ParsedRequest): OutputBound {
  const config = body.generationConfig ?? body.generation_config;
  if (!isRecord(config)) return { each: null, choices: 1, beside: 0 };
  const thinking = config.thinkingConfig ?? config.thinking_config;
  const budget = isRecord(thinking) ? largestCount(thinking.thinkingBudget, thinking.thinking_budget) : null;
  return {
    each: largestCount(config.maxOutputTokens, config.max_output_tokens),
    choices: Math.max(1, largestCount(config.candidateCount, config.candidate_count) ?? 1),
    beside: budget ?? 0,
  };
}
