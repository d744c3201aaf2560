import type { Origin } from '../catalog/model.ts';
import type { GuardAction, GuardStage } from '../verdicts/guard-verdict.ts';

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

/** Whether a request passes whose check has failed: `closed` refuses it. */
export const FAILURE_MODES = ['open', 'closed'] as const;
export type FailureMode = (typeof FAILURE_MODES)[number];

/** Judges content with a moderation model of the operator's channels. */
export interface ModerationRule {
  /** The public id of the model. */
  readonly model: string;
  /** The lowest score that matches, by category; the categories that the model itself flags if there are none. */
  readonly thresholds: Readonly<Record<string, number>>;
  readonly action: Exclude<GuardAction, 'mask'>;
  /** Whether the model takes images, one in a request. */
  readonly images: boolean;
  readonly onFailure: FailureMode;
  /** The most time that it may take. */
  readonly timeoutMs: number;
}

/** Asks a service of the operator, over HTTP. */
export interface WebhookRule {
  readonly url: string;
  /** Signs the requests (`sign-webhook.ts`). */
  readonly secret: string;
  readonly onFailure: FailureMode;
  readonly timeoutMs: number;
}

/** A named set of rules of the operator. Accounts, keys and models name the guards that apply to their requests. */
export interface Guard {
  readonly id: string;
  readonly name: string;
  /** Never empty. */
  readonly stages: readonly GuardStage[];
  readonly patterns: readonly PatternRule[];
  readonly pii: readonly PiiRule[];
  readonly terms: readonly TermsRule[];
  /** Absent for none, like the webhook. */
  readonly moderation?: ModerationRule;
  readonly webhook?: WebhookRule;
  /** The most characters of a stream that are held until they are checked; absent for the default. */
  readonly holdCharacters?: number;
  readonly unguarded: UnguardedMode;
  readonly createdAtMs: number;
  readonly origin: Origin;
}

/** The characters of a stream that a guard holds by default, at least and at most. */
export const HELD_CHARACTERS = { usual: 400, least: 100, most: 2_000 };

/** The most guards of one gateway, and the most that an account, a key or a model may name. */
export const MOST_GUARDS = 200;
export const MOST_NAMED_GUARDS = 20;

/** No guards; shared, so that objects without guards need no memory for them. */
export const NO_GUARDS: readonly string[] = [];
