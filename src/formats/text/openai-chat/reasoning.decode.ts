import type { FieldNames } from '../../../domain/exchange/loss.ts';
import type { OpaqueState, StateFamily } from '../../../domain/exchange/opaque-state.ts';
import type { IssuedState, ReasoningPart } from '../../../domain/exchange/part.ts';
import { isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import { EFFORTS, type Effort, type ReasoningOptions, type RestField } from '../../../domain/exchange/request.ts';
import { listOf, nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { noteOdd, noteUnknown } from '../shared/rest.ts';
import { unwrapState } from '../shared/state-token.ts';
import { partOfOwn, partsOfDetails, plainState, textOfDetail, UNKNOWN_ORIGIN } from './reasoning.ts';

/*
 * The members with which chat clients control reasoning: OpenAI's `reasoning_effort`, and those of compatible APIs:
 * `reasoning` (OpenRouter), `thinking` (Z.ai, Moonshot, DeepSeek, Anthropic's compatibility endpoint), `enable_thinking`
 * with `thinking_budget` (Alibaba), `chat_template_kwargs` (vLLM), `include_reasoning` (OpenRouter's older one).
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
  'google',
] as const;

const REASONING_OBJECT = new Set(['effort', 'max_tokens', 'enabled', 'exclude', 'summary']);
const THINKING_OBJECT = new Set(['type', 'budget_tokens']);
const THINKING_TYPES: ReadonlySet<unknown> = new Set(['adaptive', 'auto', 'enabled', 'disabled']);
const SUMMARIES: ReadonlySet<unknown> = new Set(['auto', 'concise', 'detailed']);
const TEMPLATE_ARGUMENTS = new Set(['enable_thinking', 'thinking', 'thinking_budget', 'reasoning_effort']);
const GOOGLE = new Set(['thinking_config', 'thinkingConfig']);
const isFlag = (value: unknown) => typeof value === 'boolean';
const isNumber = (value: unknown) => typeof value === 'number';
const isEffort = (value: unknown) => effortOrNull(value) !== null;

interface DecodedReasoning {
  readonly options: ReasoningOptions | null;
  /** The members that the client used. */
  readonly names: FieldNames;
}

interface Said {
  enabled: boolean | null;
  effort: Effort | null;
  budgetTokens: number | null;
  adaptive: boolean;
  summary: ReasoningOptions['summary'];
}

/** Decodes the options. A later member replaces the value of an earlier one; every member that was used is named. */
export function decodeReasoning(body: Json, rest: RestField[]): DecodedReasoning {
  const said: Said = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };
  const names: { -readonly [Name in keyof FieldNames]: FieldNames[Name] } = {};
  noteOdd(body, 'reasoning_effort', isEffort, '', rest);
  for (const key of ['enable_thinking', 'include_reasoning']) noteOdd(body, key, isFlag, '', rest);
  noteOdd(body, 'thinking_budget', isNumber, '', rest);
  for (const key of ['reasoning', 'thinking', 'chat_template_kwargs', 'google']) noteOdd(body, key, isRecord, '', rest);
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
  readGoogle(body, said, names, rest);
  readThinking(body.thinking, said, names, rest);
  readReasoning(body.reasoning, said, names, rest);
  readIncludeReasoning(body.include_reasoning, said, names, rest);
  // A summary, as in the Responses API, is a summary of reasoning. Where reasoning is off, the option has no effect.
  if (isReasoningOff(said) && said.summary !== null && said.summary !== 'none') {
    const path = names['reasoning-summary'] ?? 'reasoning.summary';
    const why = 'without thinking there is nothing to summarize';
    rest.push({ path, value: said.summary, verdict: 'dropped', why });
    said.summary = null;
  }
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
  const path = 'chat_template_kwargs';
  for (const key of ['enable_thinking', 'thinking']) noteOdd(value, key, isFlag, path, rest);
  noteOdd(value, 'thinking_budget', isNumber, path, rest);
  noteOdd(value, 'reasoning_effort', isEffort, path, rest);
  const effort = effortOrNull(value.reasoning_effort);
  if (effort !== null) {
    said.effort = effort;
    names['reasoning-effort'] = `${path}.reasoning_effort`;
  }
  if (typeof value.thinking_budget === 'number') {
    said.budgetTokens = value.thinking_budget;
    names['reasoning-budget'] = `${path}.thinking_budget`;
  }
  const enabled = value.enable_thinking ?? value.thinking;
  if (typeof enabled !== 'boolean') return;
  said.enabled = enabled;
  names['reasoning-effort'] = `${path}.${value.enable_thinking === undefined ? 'thinking' : 'enable_thinking'}`;
  names['reasoning-budget'] ??= names['reasoning-effort'];
}

/** Reads the member of Google's own endpoint: `extra_body: {google: {thinking_config}}`, or only the inner object. */
function readGoogle(body: Json, said: Said, names: Names, rest: RestField[]): void {
  const extra = isRecord(body.extra_body) ? body.extra_body.google : null;
  const [google, path] = isRecord(body.google) ? [body.google, 'google'] : [extra, 'extra_body.google'];
  if (!isRecord(google)) return;
  noteUnknown(google, GOOGLE, path, rest);
  const key = google.thinking_config === undefined ? 'thinkingConfig' : 'thinking_config';
  noteOdd(google, key, isRecord, path, rest);
  const config = google[key];
  if (isRecord(config)) readThinkingConfig(config, `${path}.${key}`, said, names, rest);
}

function readThinkingConfig(config: Json, path: string, said: Said, names: Names, rest: RestField[]): void {
  for (const [key, value] of Object.entries(config)) {
    const place = `${path}.${key}`;
    const name = key.replaceAll('_', '').toLowerCase();
    const effort = typeof value === 'string' ? effortOrNull(value.toLowerCase()) : null;
    if (name === 'thinkingbudget' && typeof value === 'number') {
      if (value < 0) said.adaptive = true;
      else said.budgetTokens = value;
      names['reasoning-budget'] = place;
      names['reasoning-effort'] ??= place;
    } else if (name === 'thinkinglevel' && effort !== null) {
      said.effort = effort;
      names['reasoning-effort'] = place;
    } else if (name === 'includethoughts' && typeof value === 'boolean') {
      said.summary = value ? 'auto' : 'none';
      names['reasoning-summary'] = place;
    } else noteOdd(config, key, () => false, path, rest);
  }
}

function readThinking(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (!isRecord(value)) return;
  noteUnknown(value, THINKING_OBJECT, 'thinking', rest);
  noteOdd(value, 'type', (type) => THINKING_TYPES.has(type), 'thinking', rest);
  noteOdd(value, 'budget_tokens', isNumber, 'thinking', rest);
  if (value.type === 'adaptive' || value.type === 'auto') said.adaptive = true;
  else if (value.type === 'enabled' || value.type === 'disabled') said.enabled = value.type === 'enabled';
  if (typeof value.budget_tokens === 'number') said.budgetTokens = value.budget_tokens;
  names['reasoning-budget'] = typeof value.budget_tokens === 'number' ? 'thinking.budget_tokens' : 'thinking.type';
  if (said.effort === null || said.enabled === false) names['reasoning-effort'] = 'thinking.type';
}

function readReasoning(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (!isRecord(value)) return;
  noteUnknown(value, REASONING_OBJECT, 'reasoning', rest);
  noteOdd(value, 'effort', isEffort, 'reasoning', rest);
  for (const key of ['enabled', 'exclude']) noteOdd(value, key, isFlag, 'reasoning', rest);
  noteOdd(value, 'max_tokens', isNumber, 'reasoning', rest);
  noteOdd(value, 'summary', (summary) => SUMMARIES.has(summary), 'reasoning', rest);
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

/** Reads OpenRouter's older switch. The value in the newer object takes precedence. */
function readIncludeReasoning(value: unknown, said: Said, names: Names, rest: RestField[]): void {
  if (typeof value !== 'boolean') return;
  if (said.summary === null) {
    said.summary = value ? 'auto' : 'none';
    names['reasoning-summary'] = 'include_reasoning';
    names['reasoning-effort'] ??= 'include_reasoning';
    return;
  }
  rest.push({ path: 'include_reasoning', value, verdict: 'dropped', why: '`reasoning` already specifies it' });
}

function effortOrNull(value: unknown): Effort | null {
  return EFFORTS.find((effort) => effort === value) ?? null;
}

/**
 * The family of an item's state, by OpenRouter's format names. OpenAI's is missing on purpose: its encrypted reasoning is
 * bound to the key that it was issued to, and that key is the router's.
 */
const VENDORS: Readonly<Record<string, StateFamily>> = {
  'anthropic-claude-v1': 'anthropic',
  'google-gemini-v1': 'google',
};

const SAID_TWICE = 'the message has the same thoughts in another field';
const BLOCKS_WHY = 'the thoughts are sent as text, and their signatures to the vendor that issued them';

/** Returns the reasoning of one assistant message. If two members hold different texts, the difference is noted. */
export function decodeThoughts(message: Json, path: string, rest: RestField[]): ReasoningPart[] {
  const plains = ['reasoning_content', 'reasoning'].flatMap((key) => {
    const text = nonEmptyText(message[key]);
    noteOdd(message, key, (value) => typeof value === 'string', path, rest);
    return text === null ? [] : [{ key, text }];
  });
  for (const key of ['reasoning_details', 'thinking_blocks']) noteOdd(message, key, Array.isArray, path, rest);
  const blocks = listOf(message.thinking_blocks);
  const parts = detailParts(listOf(message.reasoning_details), `${path}.reasoning_details`);
  if (blocks.length > 0) {
    if (parts.length === 0) parts.push(...blockParts(blocks, `${path}.thinking_blocks`));
    const value = message.thinking_blocks;
    rest.push({ path: `${path}.thinking_blocks`, value, verdict: 'approximated', why: BLOCKS_WHY });
  }
  const said = parts.map((part) => part.text).join('');
  const [plain, ...others] = plains;
  if (plain !== undefined && said === '') {
    const state = plainState(UNKNOWN_ORIGIN);
    parts.unshift({ type: 'reasoning', text: plain.text, state, path: `${path}.${plain.key}` });
  }
  const used = said === '' ? (plain?.text ?? '') : said;
  for (const { key, text } of said === '' ? others : plains) {
    const isSame = withoutSpace(text) === withoutSpace(used);
    const why = isSame ? SAID_TWICE : 'the message has its reasoning twice, with different content';
    rest.push({ path: `${path}.${key}`, value: text, verdict: isSame ? 'approximated' : 'dropped', why });
  }
  return parts;
}

/** Returns a block of the content or of `thinking_blocks`, in Anthropic's shape; `null` for any other block. */
export function thinkingBlock(block: Json, path: string): ReasoningPart | null {
  if (block.type === 'redacted_thinking' && typeof block.data === 'string') {
    return { ...thought('', path), redacted: true, issued: issuedBy('anthropic', block.data) };
  }
  if (block.type !== 'thinking' || typeof block.thinking !== 'string') return null;
  const signature = nonEmptyText(block.signature);
  const part = thought(block.thinking, path);
  return signature === null ? part : { ...part, issued: issuedBy('anthropic', signature) };
}

function thought(text: string, path: string): ReasoningPart {
  return { type: 'reasoning', text, state: plainState(UNKNOWN_ORIGIN), path };
}

function blockParts(blocks: readonly unknown[], path: string): ReasoningPart[] {
  return blocks.flatMap((block) => (isRecord(block) ? (thinkingBlock(block, path) ?? []) : []));
}

/** Returns consecutive items of unknown vendors as one part, and an item of a known vendor as a separate part. */
function detailParts(details: readonly unknown[], path: string): ReasoningPart[] {
  const parts: ReasoningPart[] = [];
  let others: Json[] = [];
  const flush = () => {
    parts.push(...partsOfDetails(others, UNKNOWN_ORIGIN));
    others = [];
  };
  for (const item of joinedItems(details.filter(isRecord))) {
    const issued = issuedIn(item);
    if (issued === null) others.push(item);
    else {
      flush();
      parts.push({ ...thoughtOfVendor(item), issued });
    }
  }
  flush();
  return parts.map((part) => ({ ...part, path }));
}

/**
 * Returns a signed item without text is a thought that the vendor does not show; only an encrypted item is withheld from the
 * vendor's clients.
 */
function thoughtOfVendor(item: Json): ReasoningPart {
  const { redacted, ...part } = partOfOwn([item], UNKNOWN_ORIGIN);
  return redacted && item.type === 'reasoning.encrypted' ? { ...part, redacted } : part;
}

/**
 * Joins the pieces of a stream that some clients keep apart. They send one thought back as many items with the same position, and
 * only the last has the signature.
 */
function joinedItems(items: readonly Json[]): Json[] {
  const joined: Json[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const goesOn =
      last?.type === 'reasoning.text' &&
      item.type === 'reasoning.text' &&
      last.format === item.format &&
      last.index !== undefined &&
      last.index === item.index &&
      nonEmptyText(last.signature) === null &&
      isVendors(item);
    if (goesOn && last !== undefined) {
      joined[joined.length - 1] = { ...last, ...item, text: textOfDetail(last) + textOfDetail(item) };
    } else joined.push(item);
  }
  return joined;
}

function isVendors({ format }: Json): boolean {
  return typeof format === 'string' && entryOf(VENDORS, format) !== undefined;
}

function issuedIn(item: Json): IssuedState | null {
  const family = typeof item.format === 'string' ? entryOf(VENDORS, item.format) : undefined;
  const data = nonEmptyText(item.type === 'reasoning.encrypted' ? item.data : item.signature);
  // The gateway's own tokens contain their origin.
  if (family === undefined || data === null || unwrapState(data) !== null) return null;
  return issuedBy(family, data, nonEmptyText(item.id));
}

function issuedBy(family: StateFamily, data: string, callId: string | null = null): IssuedState {
  const unknown: OpaqueState = { family, data, provider: null, channel: null };
  return { state: unwrapState(data) ?? unknown, callId };
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
