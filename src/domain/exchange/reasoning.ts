import type { Effort, ReasoningOptions } from './request.ts';

/**
 * Effort and budget say the same in different units. The budgets are the midpoints that the vendors' own compatibility
 * layers use (ai.google.dev "OpenAI compatibility": low 1,024, medium 8,192, high 24,576); beyond them each step doubles.
 */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
};

/** The budget in tokens that stands for an effort. */
export function budgetOfEffort(effort: Effort): number {
  return BUDGETS[effort];
}

/** The smallest effort whose budget is not below the given one. */
export function effortOfBudget(budgetTokens: number): Effort {
  if (budgetTokens <= 0) return 'none';
  if (budgetTokens <= BUDGETS.minimal) return 'minimal';
  if (budgetTokens <= BUDGETS.low * 4) return 'low';
  if (budgetTokens <= BUDGETS.medium * 2) return 'medium';
  return budgetTokens <= BUDGETS.high ? 'high' : 'xhigh';
}

/** Whether thinking is switched off outright. */
export function isReasoningOff(options: ReasoningOptions): boolean {
  return options.enabled === false || options.effort === 'none' || options.budgetTokens === 0;
}

/** How much thinking is said by a number of tokens. */
export function hasBudget(options: ReasoningOptions): boolean {
  return options.budgetTokens !== null && options.budgetTokens > 0 && !isReasoningOff(options);
}

/** How much thinking is said by an effort. */
export function hasEffort(options: ReasoningOptions): boolean {
  return options.effort !== null && !isReasoningOff(options);
}

/** Thinking is switched on or off, and no more is said of it. */
export function isReasoningSwitch(options: ReasoningOptions): boolean {
  if (hasBudget(options) || hasEffort(options)) return false;
  return options.enabled !== null || options.adaptive || options.effort !== null || options.budgetTokens !== null;
}

/** The effort that the options amount to; `null` where they leave it to the model. */
export function effortOf(options: ReasoningOptions): Effort | null {
  if (isReasoningOff(options)) return 'none';
  if (options.effort !== null) return options.effort;
  return options.budgetTokens === null || options.budgetTokens < 0 ? null : effortOfBudget(options.budgetTokens);
}

/** The budget that the options amount to; `null` where they leave it to the model. */
export function budgetOf(options: ReasoningOptions): number | null {
  if (isReasoningOff(options)) return 0;
  if (options.budgetTokens !== null && options.budgetTokens >= 0) return options.budgetTokens;
  return options.effort === null ? null : budgetOfEffort(options.effort);
}

/** When a model reasons: unless a request has the effort `none`, or only if a request has another effort than `none`. */
export type Reasons = 'unless-told-not-to' | 'when-told-to';

/** Whether a model reasons about a request with this effort; `undefined` and `null` stand for none given. */
export function reasonsAt(effort: unknown, reasons: Reasons): boolean {
  if (effort === undefined || effort === null) return reasons === 'unless-told-not-to';
  return effort !== 'none';
}
