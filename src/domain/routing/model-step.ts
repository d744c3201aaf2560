/**
 * Why a request was given to another model: a rule of a virtual model, a budget past its threshold, or a fallback after the model before it
 * could not answer.
 */
export type ModelStepKind = 'rule' | 'budget' | 'fallback';

/** One change of the model of a request. */
export interface ModelStep {
  readonly kind: ModelStepKind;
  /** The public ids of the models before and after the change. */
  readonly from: string;
  readonly to: string;
  /** The name of the rule or budget, or the code of the failure that led to the fallback; at most 200 characters. */
  readonly reason: string;
  /** The code of the failure because of which `to` was not asked; absent if it was. */
  readonly skipped?: string;
}

/** The operator's permission for a model that the client did not name itself. */
export interface ModelGrant {
  /** Whether the model list of the client's key applies to the model. */
  readonly heedsKey: boolean;
}

/** The grant of a model that a rule or a budget chooses: hidden models are permitted, and so are those outside the list of the key. */
export const GRANTED: ModelGrant = { heedsKey: false };
/** The grant of a fallback of an operator's list: hidden models are permitted, but the list of the key applies. */
export const GRANTED_TO_KEY: ModelGrant = { heedsKey: true };
