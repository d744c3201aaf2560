import { z } from 'zod';
import { OWN_FIELDS, OWN_TOOL_FIELDS } from '../../formats/text/anthropic-messages/fields.ts';
import type { Quirk } from '../../formats/text/quirk.ts';

/** A beta flag of Anthropic's Messages that a cloud accepts. */
export interface KnownBeta {
  readonly flag: string;
  /** The models that accept it; absent means all. */
  readonly models?: RegExp;
  /** Anthropic's own flags that this one corresponds to at the cloud. */
  readonly replaces?: readonly string[];
}

/** Members of a body that are refused without one of the flags. */
export interface BetaMember {
  readonly paths: readonly string[];
  /** Only these values of the member; absent means all. */
  readonly values?: RegExp;
  /** Empty if no flag makes a cloud accept the members. */
  readonly flags: readonly string[];
  /** The verdict on a request that loses the member: a tuning option, or something that changes its meaning. */
  readonly verdict: 'dropped' | 'refused';
  readonly why: string;
}

/** The betas of a cloud that refuses unknown flags and members. */
export interface MessagesBetas {
  readonly flags: readonly KnownBeta[];
  readonly members: readonly BetaMember[];
}

const CACHED = ['system[].', 'tools[].', 'messages[].content[].', 'messages[].content[].content[].'];

function own(name: string, ...flags: string[]): BetaMember {
  const kept = OWN_FIELDS[name];
  if (kept === undefined) throw new Error(`OWN_FIELDS has no ${name}`);
  return { paths: [name], flags, verdict: kept.verdict === 'refused' ? 'refused' : 'dropped', why: kept.why };
}

function ofTools(name: string, ...flags: string[]): BetaMember {
  const kept = OWN_TOOL_FIELDS[name];
  if (kept === undefined) throw new Error(`OWN_TOOL_FIELDS has no ${name}`);
  return { paths: [`tools[].${name}`], flags, verdict: 'dropped', why: kept.why };
}

function hosted(values: RegExp, ...flags: string[]): BetaMember {
  const why = 'the provider does not run this tool';
  return { paths: ['tools[].type'], values, flags, verdict: 'refused', why };
}

/**
 * The members of a Messages body that belong to a beta, or to Anthropic's own service, with Anthropic's and the clouds' flags for
 * them (platform.claude.com, the page of each feature). A cloud answers a member without its flag with "Extra inputs are not
 * permitted". Anthropic itself has made some of them generally available, so a request may omit the flag.
 */
export const BETA_MEMBERS: readonly BetaMember[] = [
  ofTools('defer_loading', 'tool-search-tool-2025-10-19', 'advanced-tool-use-2025-11-20'),
  ofTools('input_examples', 'tool-examples-2025-10-29', 'advanced-tool-use-2025-11-20'),
  ofTools('allowed_callers', 'advanced-tool-use-2025-11-20', 'code-execution-2025-08-25'),
  ofTools('eager_input_streaming'),
  own('context_management', 'context-management-2025-06-27', 'compact-2026-01-12', 'compact-2026-09-04'),
  {
    paths: CACHED.map((place) => `${place}cache_control.scope`),
    flags: ['prompt-caching-scope-2026-01-05'],
    verdict: 'dropped',
    why: 'prompts are cached per account only',
  },
  {
    paths: ['output_config.task_budget'],
    flags: ['task-budgets-2026-03-13'],
    verdict: 'dropped',
    why: 'the provider does not support task budgets',
  },
  own('speed', 'fast-mode-2026-02-01'),
  own('diagnostics', 'cache-diagnosis-2026-04-07'),
  own('fallbacks', 'server-side-fallback-2026-07-01', 'server-side-fallback-2026-06-01'),
  own('fallback_credit_token', 'fallback-credit-2026-06-01', 'fallback-credit-2026-06-09'),
  own('user_profile_id', 'user-profiles-2026-03-24'),
  own('mcp_servers', 'mcp-client-2025-11-20', 'mcp-client-2025-04-04'),
  own('container', 'skills-2025-10-02', 'code-execution-2025-08-25', 'code-execution-2025-05-22'),
  ...['compaction', 'billing_policy', 'inference_geo', 'thread', 'workspace_id'].map((name) => own(name)),
  {
    paths: ['service_tier'],
    flags: [],
    verdict: 'dropped',
    why: "the provider's service tiers differ from Anthropic's",
  },
  hosted(/^tool_search_tool_/, 'tool-search-tool-2025-10-19', 'advanced-tool-use-2025-11-20'),
  hosted(/^memory_/, 'context-management-2025-06-27'),
  hosted(/^computer_20241022$/, 'computer-use-2024-10-22'),
  hosted(/^computer_20250124$/, 'computer-use-2025-01-24'),
  hosted(/^computer_20251124$/, 'computer-use-2025-11-24'),
  hosted(/^web_search_20250305$/, 'web-search-2025-03-05'),
  hosted(/^web_search_(?!20250305$)/),
  hosted(/^web_fetch_/, 'web-fetch-2025-09-10'),
  hosted(/^code_execution_/, 'code-execution-2025-08-25', 'code-execution-2025-05-22'),
  hosted(/^advisor_/, 'advisor-tool-2026-03-01'),
  hosted(/^mcp_toolset$/, 'mcp-client-2025-11-20'),
];

/** Flags without any members that Anthropic's clients send. */
const PLAIN_FLAGS = [
  ...['claude-code-20250219', 'oauth-2025-04-20', 'interleaved-thinking-2025-05-14', 'context-1m-2025-08-07'],
  ...['structured-outputs-2025-11-13', 'structured-outputs-2025-12-15', 'effort-2025-11-24', 'pdfs-2024-09-25'],
  ...['fine-grained-tool-streaming-2025-05-14', 'token-efficient-tools-2025-02-19', 'output-128k-2025-02-19'],
  ...['prompt-caching-2024-07-31', 'token-counting-2024-11-01', 'message-batches-2024-09-24', 'files-api-2025-04-14'],
  ...['extended-cache-ttl-2025-04-11', 'redact-thinking-2026-02-12', 'adaptive-thinking-2026-01-28'],
  ...['dev-full-thinking-2025-05-14', 'mid-conversation-system-2026-04-07', 'token-efficient-tools-2026-03-28'],
  ...['model-context-window-exceeded-2025-08-26', 'output-300k-2026-03-24', 'thinking-token-count-2026-05-13'],
  ...['afk-mode-2026-01-31', 'context-hint-2026-04-09', 'prompt-caching-evict-2026-05-12'],
];

/** All flags whose members are known; any other flag may belong to unknown members. */
export const KNOWN_FLAGS: ReadonlySet<string> = new Set([
  ...PLAIN_FLAGS,
  ...BETA_MEMBERS.flatMap(({ flags }) => flags),
]);

const TOOL_SEARCH = /claude-(?:(?:opus|sonnet)-4-[5-9]|(?:opus|sonnet|fable|mythos)-[5-9])/;
const ADVANCED_TOOL_USE = ['advanced-tool-use-2025-11-20'];

/**
 * The two flags at the clouds that correspond to Anthropic's `advanced-tool-use-…` ("Tool search tool" and "Define tools", tables
 * of beta headers and models).
 */
export const TOOL_BETAS_OF_CLOUDS: readonly KnownBeta[] = [
  { flag: 'tool-search-tool-2025-10-19', models: TOOL_SEARCH, replaces: ADVANCED_TOOL_USE },
  { flag: 'tool-examples-2025-10-29', models: /claude-opus-4-5/, replaces: ADVANCED_TOOL_USE },
];

/** A channel's setting for flags that its provider has added since this release. */
export const FURTHER_BETAS = z
  .string()
  .regex(/^[\w.-]{1,128}(?:, ?[\w.-]{1,128}){0,31}$/, 'must be up to 32 flags, separated by commas')
  .optional()
  .meta({
    title: 'Extra beta flags',
    description: 'Extra `anthropic-beta` flags that the provider accepts, separated by commas.',
  });

/** A request with one of these is translated, and then has `output_config.format`, and a mark at its last block. */
export const TOLD_OTHERWISE: readonly Quirk[] = [
  {
    kind: 'omit',
    field: 'output_format',
    why: 'Clouds accept `output_config.format`; `output_format` was Anthropic’s beta name.',
  },
  {
    kind: 'omit',
    field: 'cache_control',
    why: 'platform.claude.com, "Prompt caching": Bedrock and Vertex AI do not have automatic caching yet, so the last block is marked instead.',
  },
];
