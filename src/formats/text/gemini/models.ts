import { budgetOf, effortOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import { EFFORTS, type Effort, type ReasoningOptions } from '../../../domain/exchange/request.ts';

/* The differences between Gemini models, as data: the model ids, the difference, and its source. */

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

/**
 * Returns whether signatures are required: Gemini 3 refuses a turn whose first function call comes back without its signature
 * (ai.google.dev, "Thought signatures").
 */
export function needsSignatures(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d|flash-latest|pro-latest)/.test(model);
}

/**
 * The value that Google documents as a replacement for a missing signature, for calls that its model did not make (the same
 * page: history of another model, or calls that the client wrote itself). Without it such a conversation could not be
 * continued.
 */
export const NO_SIGNATURE = 'skip_thought_signature_validator';

const GENERATION_3 = /gemini-(?:[3-9]|\d\d)|gemini-(?:flash|flash-lite|pro)-latest/;

/**
 * Returns whether functions, Google's own tools and JSON answers can be combined (ai.google.dev, "Structured outputs" and
 * "Combine built-in tools and function calling": Gemini 3 and later; earlier models refuse any two of them).
 */
export function combinesTools(model: string): boolean {
  return GENERATION_3.test(model);
}

/** Returns a model's output limit (the models' pages). Vertex AI refuses a larger value, and so does Google for some models. */
export function mostOutputTokens(model: string): number | null {
  if (/gemini-(?:1|2\.0)/.test(model)) return 8_192;
  return /gemini-/.test(model) ? 65_535 : null;
}

/**
 * Returns whether a function's response may contain media (ai.google.dev, "Function calling", multimodal responses: Gemini 3 and
 * later).
 */
export function takesMediaInResponses(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d|flash-latest|pro-latest)/.test(model);
}

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
