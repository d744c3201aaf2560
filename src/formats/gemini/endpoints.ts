import { Failure } from '../../domain/failure/failure.ts';
import type { Conversation, Endpoint, InboundCall, OutputBound, ParsedRequest, RelayedHeader } from '../format.ts';
import { keyReader } from '../shared/credentials.ts';
import { largestCount } from '../shared/json-values.ts';
import { isRecord } from '../shared/record.ts';
import { requestTarget } from '../shared/request-target.ts';

const PREFIX = '/v1beta/models/';
/** `@google/genai` 3 asks for `v1` where it is not told otherwise, and both versions are the same here. */
const ROUTE = /^\/v1(?:beta)?\/models\//i;

/** What a path's method asks for: the published document has these three for text models. */
const METHODS: Readonly<Record<string, { readonly purpose: InboundCall['purpose']; readonly stream: boolean }>> = {
  generateContent: { purpose: 'generate', stream: false },
  streamGenerateContent: { purpose: 'generate', stream: true },
  countTokens: { purpose: 'count-tokens', stream: false },
};

export const endpoints: readonly Endpoint[] = [
  { path: `${PREFIX}*`, call },
  { path: '/v1/models/*', shared: true, call },
];

/** Lower-case names of the client's headers that go upstream on the relay lane: none changes what the API answers. */
export const relayedHeaders: readonly RelayedHeader[] = [];

/** The query parameters that are read here, each with its other spelling (Google's system parameters). */
const GOVERNED_PARAMETERS: readonly (readonly string[])[] = [['key'], ['alt', '$alt']];

/**
 * The call that `/v1beta/models/{model}:{method}` makes. A model's id may hold slashes and colons (`meta/llama:free`), so
 * the method is what follows the last colon; each may be percent-encoded.
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
    message: `The query parameter \`${param}\` stands twice in the URL, and which of the two counts is not the same everywhere. Send it once.`,
    param,
  });
}

const keyIn = keyReader('x-goog-api-key');

/** The key as Google's clients send it: a header, or the query parameter `key`, which counts where no header has one. */
export function secret(headers: Headers, url: string): string | null {
  return keyIn(headers) ?? (requestTarget(url).query.get('key')?.trim() || null);
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

/** The bound is each candidate's own. What the model thinks counts within it at Google, and beside it at some that speak the format. */
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
