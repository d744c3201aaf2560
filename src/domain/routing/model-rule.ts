import { EFFORTS } from '../exchange/request.ts';

/** The days of a week in the order of `Date.prototype.getUTCDay`. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The efforts that a rule can list: `unset` stands for a request that leaves the effort to the model. */
export const RULE_EFFORTS = [...EFFORTS, 'unset'] as const;
export type RuleEffort = (typeof RULE_EFFORTS)[number];

/** The identities by which a share of the requests is chosen. All requests of one identity are on the same side. */
export const SHARE_KEYS = ['session', 'user', 'key', 'account'] as const;
export type ShareKey = (typeof SHARE_KEYS)[number];

/** The most virtual models that one request passes through. */
export const MOST_RULE_STEPS = 4;

/** A range of whole numbers; both ends belong to it, and `null` leaves an end open. */
export interface NumberRange {
  readonly min: number | null;
  readonly max: number | null;
}

/** Days and hours in a time zone. */
export interface WeekTimes {
  /** Every day if empty. */
  readonly days: readonly Weekday[];
  /** Minutes since midnight. If `to` is not after `from`, the hours end on the next day; they belong to the day on which they begin. */
  readonly from: number;
  readonly to: number;
  /** An IANA name such as `Europe/Berlin`. */
  readonly zone: string;
}

/** A part of the requests that a rule would otherwise take. */
export interface Share {
  /** From 0 to 100, with at most two decimals. */
  readonly percent: number;
  readonly by: ShareKey;
}

/** The conditions of a rule. All of those that are present must hold. */
export interface RuleConditions {
  /** The estimated tokens of the prompt. */
  readonly inputTokens?: NumberRange;
  /** Whether the request has tools, or how many. */
  readonly tools?: boolean | NumberRange;
  readonly images?: boolean;
  readonly audio?: boolean;
  /** Documents, videos and other files. */
  readonly files?: boolean;
  readonly reasoningEffort?: readonly RuleEffort[];
  readonly stream?: boolean;
  /** Each `key=value`; `*` stands for any value. Tags of one key are alternatives; each key must have one that the request has. */
  readonly tags?: readonly string[];
  /** Roles of accounts. */
  readonly roles?: readonly string[];
  readonly accounts?: readonly string[];
  /** Each `account/key`, by ids. */
  readonly keys?: readonly string[];
  /** The names of client formats and operations, such as `openai-chat` and `embeddings`. */
  readonly formats?: readonly string[];
  readonly time?: WeekTimes;
  readonly share?: Share;
}

/** A rule of a virtual model: requests for which all conditions hold go to `model`. */
export interface ModelRule {
  /** The name for people; `null` for none. */
  readonly name: string | null;
  /** `null` for the last rule, which takes all other requests. */
  readonly when: RuleConditions | null;
  /** A public id. The virtual model's own id stands for the channels that serve the model under this id. */
  readonly model: string;
}

/**
 * The facts of a request's body that conditions compare. Each is computed when it is first compared, because most rules compare few of them;
 * `null` stands for a fact that this kind of request does not have.
 */
export interface BodyFacts {
  readonly stream: boolean;
  /** Returns the estimated tokens of the prompt. */
  inputTokens(): number | null;
  tools(): number | null;
  images(): number | null;
  audio(): number | null;
  files(): number | null;
  reasoningEffort(): RuleEffort | null;
}

/** All facts about a request that conditions compare. */
export interface RuleFacts extends BodyFacts {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly accountId: string;
  readonly role: string;
  /** The id of the key within its account. */
  readonly keyId: string;
  /** The name of the client's format or of the operation. */
  readonly format: string;
  readonly tags: readonly string[];
  /** Returns the text that identifies the request for a share. */
  identity(by: ShareKey): string;
}
