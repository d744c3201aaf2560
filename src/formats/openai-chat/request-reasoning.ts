import type { FieldNames } from '../../domain/exchange/loss.ts';
import { EFFORTS, type Effort, type ReasoningOptions, type RestField } from '../../domain/exchange/request.ts';
import { isRecord } from '../shared/record.ts';
import { noteUnknown } from '../shared/rest.ts';

/*
 * The ways to say how much a model is to think that chat clients use: OpenAI's `reasoning_effort`, and what its
 * imitators added: `reasoning` (OpenRouter), `thinking` (Z.ai, Moonshot, DeepSeek, Anthropic's compatibility endpoint),
 * `enable_thinking` with `thinking_budget` (Alibaba), `chat_template_kwargs` (vLLM), `include_reasoning` (OpenRouter's older one).
 */

type Json = Readonly<Record<string, unknown>>;

export const REASONING_MEMBERS = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'chat_template_kwargs',
  'include_reasoning',
] as const;

const REASONING_OBJECT = new Set(['effort', 'max_tokens', 'enabled', 'exclude', 'summary']);
const THINKING_OBJECT = new Set(['type', 'budget_tokens']);
const TEMPLATE_ARGUMENTS = new Set(['enable_thinking', 'thinking']);

interface DecodedReasoning {
  readonly options: ReasoningOptions | null;
  /** The members that the client said it with. */
  readonly names: FieldNames;
}

interface Said {
  enabled: boolean | null;
  effort: Effort | null;
  budgetTokens: number | null;
  adaptive: boolean;
  summary: ReasoningOptions['summary'];
}

/** What a later member says replaces what an earlier one said; every member that was used is named. */
export function decodeReasoning(body: Json, rest: RestField[]): DecodedReasoning {
  const said: Said = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };
  const names: { -readonly [Name in keyof FieldNames]: FieldNames[Name] } = {};
  const effort = effortOrNull(body.reasoning_effort);
  if (effort !== null) {
    said.effort = effort;
    names['reasoning-budget'] = 'reasoning_effort';
  }
  readTemplateArguments(body.chat_template_kwargs, said, names, rest);
  if (typeof body.enable_thinking === 'boolean') {
    said.enabled = body.enable_thinking;
    names['reasoning-effort'] = 'enable_thinking';
    names['reasoning-budget'] = 'enable_thinking';
  }
  if (typeof body.thinking_budget === 'number') {
    said.budgetTokens = body.thinking_budget;
    names['reasoning-budget'] = 'thinking_budget';
    names['reasoning-effort'] ??= 'thinking_budget';
  }
  readThinking(body.thinking, said, names, rest);
  readReasoning(body.reasoning, said, names, rest);
  readIncludeReasoning(body.include_reasoning, said, names, rest);
  const silent =
    said.enabled === null &&
    said.effort === null &&
    said.budgetTokens === null &&
    !said.adaptive &&
    said.summary === null;
  return { options: silent ? null : said, names };
}

type Names = { -readonly [Name in keyof FieldNames]: FieldNames[Name] };

function readTemplateArguments(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (!isRecord(value)) return;
  noteUnknown(value, TEMPLATE_ARGUMENTS, 'chat_template_kwargs', rest);
  const enabled = value.enable_thinking ?? value.thinking;
  if (typeof enabled !== 'boolean') return;
  said.enabled = enabled;
  names['reasoning-effort'] = 'chat_template_kwargs.enable_thinking';
}

function readThinking(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (!isRecord(value)) return;
  noteUnknown(value, THINKING_OBJECT, 'thinking', rest);
  if (value.type === 'adaptive' || value.type === 'auto') said.adaptive = true;
  else if (value.type === 'enabled' || value.type === 'disabled') said.enabled = value.type === 'enabled';
  if (typeof value.budget_tokens === 'number') said.budgetTokens = value.budget_tokens;
  names['reasoning-budget'] = typeof value.budget_tokens === 'number' ? 'thinking.budget_tokens' : 'thinking.type';
  if (said.effort === null || said.enabled === false) names['reasoning-effort'] = 'thinking.type';
}

function readReasoning(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (!isRecord(value)) return;
  noteUnknown(value, REASONING_OBJECT, 'reasoning', rest);
  const effort = effortOrNull(value.effort);
  if (effort !== null) said.effort = effort;
  if (typeof value.enabled === 'boolean') said.enabled = value.enabled;
  if (typeof value.max_tokens === 'number') said.budgetTokens = value.max_tokens;
  if (value.exclude === true) said.summary = 'none';
  if (value.summary === 'auto' || value.summary === 'concise' || value.summary === 'detailed') {
    said.summary = value.summary;
  }
  const hasBudget = typeof value.max_tokens === 'number';
  const word = effort === null ? 'reasoning.enabled' : 'reasoning.effort';
  names['reasoning-effort'] = hasBudget && effort === null ? 'reasoning.max_tokens' : word;
  names['reasoning-budget'] = hasBudget ? 'reasoning.max_tokens' : word;
  names['reasoning-summary'] = value.exclude === undefined ? 'reasoning.summary' : 'reasoning.exclude';
}

/** OpenRouter's older switch; what the newer object says wins. */
function readIncludeReasoning(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (typeof value !== 'boolean') return;
  if (said.summary === null) {
    said.summary = value ? 'auto' : 'none';
    names['reasoning-summary'] = 'include_reasoning';
    return;
  }
  rest.push({ path: 'include_reasoning', value, verdict: 'dropped', why: 'reasoning says it already' });
}

function effortOrNull(value: unknown): Effort | null {
  return EFFORTS.find((effort) => effort === value) ?? null;
}
