/** The part of a call that a guard checks: the request, or the response. */
export const GUARD_STAGES = ['input', 'output'] as const;
export type GuardStage = (typeof GUARD_STAGES)[number];

/**
 * The effect of a rule on a text that it matches: `mask` replaces it by a placeholder, `refuse` refuses the request or ends the response, and
 * `flag` only records it.
 */
export const GUARD_ACTIONS = ['mask', 'refuse', 'flag'] as const;
export type GuardAction = (typeof GUARD_ACTIONS)[number];

/** The result of one rule for one call. It never has the matched text. */
export interface GuardVerdict {
  readonly guard: string;
  /** The name of the rule, or its class of personal data. */
  readonly rule: string;
  readonly stage: GuardStage;
  readonly action: GuardAction;
  /** The number of matches. */
  readonly count: number;
}
