import type { FieldNames, RestField } from './loss.ts';
import type { CacheMark, Message } from './part.ts';

export type { RestField } from './loss.ts';

/** The group that a tool stands in (`namespace` of the Responses API): the tool's own name there, and what is said of the group. */
export interface ToolNamespace {
  readonly name: string;
  readonly member: string;
  readonly description: string | null;
  readonly path: string;
}

/** A tool that the client runs. */
export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string | null;
  /** A JSON schema of an object; `null` where the client gave none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly strict: boolean | null;
  readonly path?: string;
  readonly cache?: CacheMark;
  /** Further members that only the client's format knows (Anthropic `input_examples`, `defer_loading` …). */
  readonly rest?: readonly RestField[];
  /** `name` then holds the names of both, for formats without groups. */
  readonly namespace?: ToolNamespace;
}

/** A tool that takes free text instead of JSON (OpenAI `custom`). */
export interface CustomTool {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string | null;
  /** OpenAI's `format`: text or a grammar. */
  readonly format: unknown;
  readonly path?: string;
  readonly namespace?: ToolNamespace;
}

/** Web search run by the provider: all three vendors have it. */
export interface WebSearchTool {
  readonly type: 'web-search';
  readonly allowedDomains: readonly string[] | null;
  readonly blockedDomains: readonly string[] | null;
  readonly maxUses: number | null;
  readonly userLocation: {
    readonly city?: string;
    readonly region?: string;
    readonly country?: string;
    readonly timezone?: string;
  } | null;
  /** OpenAI's `search_context_size`. */
  readonly contextSize: string | null;
  /** The wire value, for its own format. */
  readonly raw: { readonly format: string; readonly value: unknown };
  readonly path?: string;
}

/** Any other tool that the provider runs (code interpreter, MCP, computer use, file search …); it goes to its own format or is refused. */
export interface HostedTool {
  readonly type: 'hosted';
  /** The wire's type, such as `code_execution_20250825`. */
  readonly name: string;
  readonly raw: { readonly format: string; readonly value: unknown };
  readonly path?: string;
}

export type Tool = FunctionTool | CustomTool | WebSearchTool | HostedTool;

export type ToolChoice =
  | { readonly mode: 'auto' | 'none' | 'required' }
  /** Exactly this tool. */
  | { readonly mode: 'tool'; readonly name: string; readonly custom?: boolean }
  /** Only these of the declared tools. */
  | { readonly mode: 'allowed'; readonly names: readonly string[]; readonly required: boolean };

export type ResponseFormat =
  | { readonly type: 'text' }
  /** Any JSON object. */
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema';
      readonly schema: Readonly<Record<string, unknown>>;
      readonly name: string | null;
      readonly description: string | null;
      readonly strict: boolean | null;
    };

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** How much the model is to think, as the client said it; `null` members were not said. */
export interface ReasoningOptions {
  /** `false` switches thinking off; `true` asks for it without a measure. */
  readonly enabled: boolean | null;
  readonly effort: Effort | null;
  readonly budgetTokens: number | null;
  /** The model decides how much (Anthropic `adaptive`, Gemini's budget of -1). */
  readonly adaptive: boolean;
  /** Whether and how thoughts are to be shown. */
  readonly summary: 'auto' | 'concise' | 'detailed' | 'none' | null;
}

/** One request in no provider's words. Absent numbers and flags are `null`: the upstream's own default holds. */
export interface ExchangeRequest {
  /** The client's format. */
  readonly format: string;
  /** What the client's format calls the features that are a field of their own. */
  readonly names: FieldNames;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice | null;
  readonly parallelToolCalls: boolean | null;
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly frequencyPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly seed: number | null;
  readonly stop: readonly string[];
  /** OpenAI's `n`. */
  readonly candidateCount: number | null;
  /** Log probabilities of the output tokens, and of how many alternatives each. */
  readonly logprobs: { readonly top: number } | null;
  readonly logitBias: Readonly<Record<string, number>> | null;
  readonly responseFormat: ResponseFormat | null;
  readonly reasoning: ReasoningOptions | null;
  /** OpenAI's `verbosity`: low, medium, high. */
  readonly verbosity: string | null;
  /** What the answer may consist of, where it is more than text: `text`, `image`, `audio`. */
  readonly modalities: readonly string[] | null;
  /** The client's end user. */
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly serviceTier: string | null;
  /** OpenAI's `prompt_cache_key`. */
  readonly cacheKey: string | null;
  readonly rest: readonly RestField[];
}

/** A request that says nothing but its messages; decoders start from it. */
export function emptyRequest(format: string, names: FieldNames): ExchangeRequest {
  return {
    format,
    names,
    messages: [],
    tools: [],
    toolChoice: null,
    parallelToolCalls: null,
    maxOutputTokens: null,
    temperature: null,
    topP: null,
    topK: null,
    frequencyPenalty: null,
    presencePenalty: null,
    seed: null,
    stop: [],
    candidateCount: null,
    logprobs: null,
    logitBias: null,
    responseFormat: null,
    reasoning: null,
    verbosity: null,
    modalities: null,
    user: null,
    metadata: null,
    serviceTier: null,
    cacheKey: null,
    rest: [],
  };
}
