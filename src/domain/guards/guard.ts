import type { Origin } from '../catalog/model.ts';

/** The part of a call that a guard checks: the request, or the response. */
export const GUARD_STAGES = ['input', 'output'] as const;
export type GuardStage = (typeof GUARD_STAGES)[number];

/**
 * The effect of a rule on a text that it matches: `mask` replaces it by a placeholder, `refuse` refuses the request or ends the response, and
 * `flag` only records it.
 */
export const GUARD_ACTIONS = ['mask', 'refuse', 'flag'] as const;
export type GuardAction = (typeof GUARD_ACTIONS)[number];

/** The classes of personal data and secrets that rules can name (docs/guards.md). */
export const PII_CLASSES = ['email', 'phone', 'card', 'iban', 'us_ssn', 'ip_address', 'secret'] as const;
export type PiiClass = (typeof PII_CLASSES)[number];

export interface PatternRule {
  /** Lower-case letters, digits, `-` and `_`; named in verdicts, and in upper case in placeholders. */
  readonly name: string;
  /** In the dialect of `patterns/parse-pattern.ts`. */
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly action: GuardAction;
}

export interface PiiRule {
  readonly kind: PiiClass;
  readonly action: GuardAction;
}

/** Words and phrases, compared after normalization: case, accents, look-alike letters and invisible characters do not matter. */
export interface TermsRule {
  readonly name: string;
  readonly terms: readonly string[];
  /** Whether a term matches within longer words, too. */
  readonly withinWords: boolean;
  /** Whether digits and signs count as the letters that they resemble (`4` as `a`). */
  readonly leetspeak: boolean;
  readonly action: GuardAction;
}

/** Whether requests that cannot be checked, such as realtime sessions, are refused for accounts, keys and models with the guard. */
export const UNGUARDED_MODES = ['refuse', 'allow'] as const;
export type UnguardedMode = (typeof UNGUARDED_MODES)[number];

/** A named set of rules of the operator. Accounts, keys and models name the guards that apply to their requests. */
export interface Guard {
  readonly id: string;
  readonly name: string;
  /** Never empty. */
  readonly stages: readonly GuardStage[];
  readonly patterns: readonly PatternRule[];
  readonly pii: readonly PiiRule[];
  readonly terms: readonly TermsRule[];
  readonly unguarded: UnguardedMode;
  readonly createdAtMs: number;
  readonly origin: Origin;
}

/** The most guards of one gateway, and the most that an account, a key or a model may name. */
export const MOST_GUARDS = 200;
export const MOST_NAMED_GUARDS = 20;

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

/** No guards; shared, so that objects without guards need no memory for them. */
export const NO_GUARDS: readonly string[] = [];
