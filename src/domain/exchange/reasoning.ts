import type { Effort, ReasoningOptions } from './request.ts';

/**
 * Effort and budget express the same in different units. The budgets are the midpoints that the vendors' own compatibility layers
 * use (ai.google.dev "OpenAI compatibility": low 1,024, medium 8,192, high 24,576); beyond these each step doubles.
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

/** Returns the budget in tokens for an effort. */
export function budgetOfEffort(effort: Effort): number {
  return BUDGETS[effort];
}

/** Returns the smallest effort whose budget is not below the given one. */
export function effortOfBudget(budgetTokens: number): Effort {
  if (budgetTokens <= 0) return 'none';
  if (budgetTokens <= BUDGETS.minimal) return 'minimal';
  if (budgetTokens <= BUDGETS.low * 4) return 'low';
  if (budgetTokens <= BUDGETS.medium * 2) return 'medium';
  return budgetTokens <= BUDGETS.high ? 'high' : 'xhigh';
}

/** Returns whether thinking is switched off explicitly. */
export function isReasoningOff(options: ReasoningOptions): boolean {
  return options.enabled === false || options.effort === 'none' || options.budgetTokens === 0;
}

/** Returns whether a number of tokens sets the amount of thinking. */
export function hasBudget(options: ReasoningOptions): boolean {
  return options.budgetTokens !== null && options.budgetTokens > 0 && !isReasoningOff(options);
}

/** Returns whether an effort sets the amount of thinking. */
export function hasEffort(options: ReasoningOptions): boolean {
  return options.effort !== null && !isReasoningOff(options);
}

/** Returns whether thinking is switched on or off without an amount. */
export function isReasoningSwitch(options: ReasoningOptions): boolean {
  if (hasBudget(options) || hasEffort(options)) return false;
  return options.enabled !== null || options.adaptive || options.effort !== null || options.budgetTokens !== null;
}

/** Returns the effort that the options amount to; `null` if they leave it to the model. */
export function effortOf(options: ReasoningOptions): Effort | null {
  if (isReasoningOff(options)) return 'none';
  if (options.effort !== null) return options.effort;
  return options.budgetTokens === null || options.budgetTokens < 0 ? null : effortOfBudget(options.budgetTokens);
}

/** Returns the budget that the options amount to; `null` if they leave it to the model. */
export function budgetOf(options: ReasoningOptions): number | null {
  if (isReasoningOff(options)) return 0;
  if (options.budgetTokens !== null && options.budgetTokens >= 0) return options.budgetTokens;
  return options.effort === null ? null : budgetOfEffort(options.effort);
}

/** When a model reasons: unless a request has the effort `none`, or only if a request has another effort than `none`. */
export type Reasons = 'unless-told-not-to' | 'when-told-to';

/** Returns whether a model reasons about a request with this effort; `undefined` and `null` mean that none was given. */
export function reasonsAt(effort: unknown, reasons: Reasons): boolean {
  if (effort === undefined || effort === null) return reasons === 'unless-told-not-to';
  return effort !== 'none';
}
