import type { Losses } from '../../../domain/exchange/loss.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part, TextPart, ToolCallPart } from '../../../domain/exchange/part.ts';
import { budgetOf, effortOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import { EFFORTS, type Effort, type ExchangeRequest, type ReasoningOptions } from '../../../domain/exchange/request.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EncodeTarget } from '../format.ts';
import type { WireDraft } from './encoding.ts';

/* How Gemini models think, as data: the model ids, the unit of thinking, and its source. */

type Thinking =
  /** `thinkingLevel`: the efforts that the model has, in rising order. */
  | { readonly style: 'level'; readonly levels: readonly Effort[] }
  /** `thinkingBudget` in tokens; `least` is 0 where thinking can be switched off. */
  | { readonly style: 'budget'; readonly least: number; readonly smallest: number; readonly largest: number }
  | { readonly style: 'none' };

/** ai.google.dev, "Gemini thinking", the tables of levels and budgets. The first match holds. */
const THINKING: readonly { readonly models: RegExp; readonly thinking: Thinking }[] = [
  { models: /gemini-3-pro(?!-image)/, thinking: { style: 'level', levels: ['low', 'high'] } },
  { models: /gemini-3\.\d+-pro(?!-image)/, thinking: { style: 'level', levels: ['low', 'medium', 'high'] } },
  { models: /gemini-3[\d.]*-flash-image/, thinking: { style: 'level', levels: ['minimal', 'high'] } },
  { models: /gemini-3[\d.]*-pro-image/, thinking: { style: 'none' } },
  { models: /gemini-3\.7-flash(?!-lite)/, thinking: { style: 'level', levels: ['low', 'medium', 'high'] } },
  { models: /gemini-(?:[3-9]|\d\d)/, thinking: { style: 'level', levels: ['minimal', 'low', 'medium', 'high'] } },
  // Google's own aliases for the newest models.
  { models: /gemini-(?:flash|flash-lite|pro)-latest/, thinking: { style: 'level', levels: ['low', 'medium', 'high'] } },
  { models: /gemini-2\.5-flash-image|gemini-2\.5-.*tts/, thinking: { style: 'none' } },
  { models: /gemini-2\.5-pro/, thinking: { style: 'budget', least: 128, smallest: 128, largest: 32_768 } },
  { models: /gemini-2\.5-flash-lite/, thinking: { style: 'budget', least: 0, smallest: 512, largest: 24_576 } },
  { models: /gemini-2\.5-flash/, thinking: { style: 'budget', least: 0, smallest: 1, largest: 24_576 } },
  { models: /gemini-robotics-er/, thinking: { style: 'budget', least: 0, smallest: 1, largest: 24_576 } },
  { models: /gemini-[12]|gemma|learnlm|imagen/, thinking: { style: 'none' } },
];

/** A model with an unknown name is treated as one of the current family. */
const CURRENT: Thinking = { style: 'level', levels: ['minimal', 'low', 'medium', 'high'] };

interface ThinkingConfig {
  readonly thinkingLevel?: string;
  readonly thinkingBudget?: number;
}

interface MappedThinking {
  readonly config: ThinkingConfig;
  /** Why the config differs from the request. */
  readonly approximation: string | null;
}

/**
 * Returns the thinking config; `null` if the model does not think. Effort and budget are converted to the unit that the model
 * uses.
 */
export function thinkingFor(
  model: string,
  options: ReasoningOptions,
  efforts: readonly string[] | null,
): MappedThinking | null {
  const thinking = THINKING.find(({ models }) => models.test(model))?.thinking ?? CURRENT;
  switch (thinking.style) {
    case 'none':
      return null;
    case 'level':
      return levelFor(options, efforts ?? thinking.levels);
    case 'budget':
      return budgetFor(options, thinking);
  }
}

const RANKS: Readonly<Record<Effort, number>> = { none: 0, minimal: 1, low: 2, medium: 3, high: 4, xhigh: 5, max: 6 };

function rankOf(effort: string): number {
  const known = EFFORTS.find((one) => one === effort);
  return known === undefined ? RANKS.high : RANKS[known];
}

function levelFor(options: ReasoningOptions, levels: readonly string[]): MappedThinking {
  const effort = effortOf(options);
  if (effort === null) return { config: {}, approximation: null };
  const exact = levels.includes(effort);
  // The smallest level that is not below the effort, otherwise the largest: too much thinking is a smaller loss than too
  // little.
  const level = exact ? effort : (levels.find((one) => rankOf(one) >= RANKS[effort]) ?? levels.at(-1) ?? 'high');
  const approximation =
    exact && options.budgetTokens === null ? null : `this model measures thinking in levels; the nearest is ${level}`;
  return { config: { thinkingLevel: level.toUpperCase() }, approximation };
}

type Budgets = Thinking & { readonly style: 'budget' };

function budgetFor(options: ReasoningOptions, { least, smallest, largest }: Budgets): MappedThinking {
  if (isReasoningOff(options)) {
    const approximation = least === 0 ? null : `this model always thinks; its smallest budget is ${least}`;
    return { config: { thinkingBudget: least }, approximation };
  }
  const budget = budgetOf(options);
  if (budget === null) return { config: options.adaptive ? { thinkingBudget: -1 } : {}, approximation: null };
  const taken = Math.min(Math.max(budget, smallest), largest);
  const said =
    options.budgetTokens === null
      ? `this model accepts a token budget, so ${taken} tokens are sent for the effort`
      : null;
  const approximation = taken === budget ? said : `this model's budgets range from ${smallest} to ${largest}`;
  return { config: { thinkingBudget: taken }, approximation };
}

/** Returns a Gemini client's own settings unchanged; the API validates them. */
export function ownThinking({ effort, budgetTokens, adaptive, summary }: ReasoningOptions): WireDraft {
  return {
    ...(effort === null ? {} : { thinkingLevel: effort.toUpperCase() }),
    ...(adaptive ? { thinkingBudget: -1 } : budgetTokens === null ? {} : { thinkingBudget: budgetTokens }),
    ...(summary === null ? {} : { includeThoughts: summary !== 'none' }),
  };
}

/**
 * Returns whether the client expects thoughts without asking for them separately: chat clients always do; Messages clients do if
 * thinking is on (an effort alone does not request it).
 */
function showsUnasked(format: string, { enabled, adaptive }: ReasoningOptions): boolean {
  return format === 'openai-chat' || (format === 'anthropic-messages' && (enabled === true || adaptive));
}

export function foreignThinking(
  options: ReasoningOptions,
  { format, names }: ExchangeRequest,
  target: EncodeTarget,
  losses: Losses,
): WireDraft {
  const efforts = target.quirks.find((quirk) => quirk.kind === 'efforts')?.values ?? null;
  const mapped = thinkingFor(ruleModelOf(target), options, efforts);
  const isBudget = options.budgetTokens !== null;
  const feature = isBudget ? 'reasoning-budget' : 'reasoning-effort';
  const field = names[feature] ?? feature;
  if (mapped === null) {
    if (options.effort !== 'none' && options.enabled !== false) {
      losses.note({ field, verdict: 'dropped', why: 'this model does not think' });
    }
    return {};
  }
  if (mapped.approximation !== null) losses.note({ field, verdict: 'approximated', why: mapped.approximation });
  else if (options.enabled === true && Object.keys(mapped.config).length === 0) {
    const why = 'without a stated amount, the model itself decides whether to think';
    losses.note({ field, verdict: 'approximated', why });
  }
  const isOff = options.enabled === false || options.effort === 'none' || options.budgetTokens === 0;
  const isShown = options.summary === null ? showsUnasked(format, options) : options.summary !== 'none';
  if (isOff || !isShown) return { ...mapped.config };
  if (options.summary === 'concise' || options.summary === 'detailed') {
    const why = 'Gemini has one kind of summary, neither concise nor detailed';
    losses.note({ field: names['reasoning-summary'] ?? 'reasoning-summary', verdict: 'approximated', why });
  }
  return { ...mapped.config, includeThoughts: true };
}

/**
 * Moves Google's state, which another client format carried in a separate block, to the part that it belongs to: the next
 * call or text without state, otherwise the part before.
 */
export function withCarriedState(parts: readonly Part[]): readonly Part[] {
  const out: Part[] = [];
  let carried: OpaqueState | null = null;
  for (const part of parts) {
    const carrier = carrierState(part);
    if (carrier !== null) {
      if (carried !== null) giveBack(out, carried);
      carried = carrier;
    } else if (carried !== null && takesState(part)) {
      out.push({ ...part, state: carried });
      carried = null;
    } else out.push(part);
  }
  if (carried !== null) giveBack(out, carried);
  return out;
}

function carrierState(part: Part): OpaqueState | null {
  if (part.type !== 'reasoning' || part.text !== '' || part.redacted !== true) return null;
  return part.state?.family === 'google' ? part.state : null;
}

function takesState(part: Part): part is ToolCallPart | TextPart {
  return (part.type === 'tool-call' || part.type === 'text') && part.state === undefined;
}

function giveBack(out: Part[], state: OpaqueState): void {
  const at = out.findLastIndex((part) => takesState(part));
  const part = out[at];
  if (part?.type === 'tool-call' || part?.type === 'text') out[at] = { ...part, state };
  else out.push({ type: 'text', text: '', state });
}
