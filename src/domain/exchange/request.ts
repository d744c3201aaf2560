import type { FieldNames, RestField } from './loss.ts';
import type { CacheMark, Message } from './part.ts';

export type { RestField } from './loss.ts';

/** The group of a tool (`namespace` of the Responses API): the tool's own name in it, and the group's description. */
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
  /** A JSON schema of an object; `null` if the client gave none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly strict: boolean | null;
  readonly path?: string;
  readonly cache?: CacheMark;
  /** Members that only the client's format has (Anthropic `input_examples`, `defer_loading` …). */
  readonly rest?: readonly RestField[];
  /** If set, `name` is made of both names, for formats without groups. */
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

/**
 * Any other tool that the provider runs (code interpreter, MCP, computer use, file search …). It is sent only in its own format,
 * otherwise refused.
 */
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

/** The client's thinking options; `null` members were not given. */
export interface ReasoningOptions {
  /** `false` switches thinking off; `true` switches it on without an amount. */
  readonly enabled: boolean | null;
  readonly effort: Effort | null;
  readonly budgetTokens: number | null;
  /** Whether the model decides the amount (Anthropic `adaptive`, Gemini's budget of -1). */
  readonly adaptive: boolean;
  /** Whether and how thoughts should be shown. */
  readonly summary: 'auto' | 'concise' | 'detailed' | 'none' | null;
}

/** A request in a provider-neutral form. Absent numbers and flags are `null`: the upstream's own default applies. */
export interface ExchangeRequest {
  /** The client's format. */
  readonly format: string;
  /** The client's names for features with a separate field. */
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
  /** The number of choices, OpenAI's `n`. */
  readonly candidateCount: number | null;
  /** Requests log probabilities of the output tokens, with this many alternatives each. */
  readonly logprobs: { readonly top: number } | null;
  readonly logitBias: Readonly<Record<string, number>> | null;
  readonly responseFormat: ResponseFormat | null;
  readonly reasoning: ReasoningOptions | null;
  /** OpenAI's `verbosity`: low, medium, high. */
  readonly verbosity: string | null;
  /** The output modalities, if there are more than text: `text`, `image`, `audio`. */
  readonly modalities: readonly string[] | null;
  /** The client's end user. */
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly serviceTier: string | null;
  /** OpenAI's `prompt_cache_key`. */
  readonly cacheKey: string | null;
  readonly rest: readonly RestField[];
}

/** Returns a request with nothing but messages, from which decoders start. */
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
