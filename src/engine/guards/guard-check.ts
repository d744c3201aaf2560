import type { FailureMode, Guard } from '../../domain/guards/guard.ts';
import type { GuardAction, GuardStage } from '../../domain/verdicts/guard-verdict.ts';

/** The most images of one request that checks get, and one more if there are more, which a check must not let pass unseen. */
export const MOST_IMAGES = 50;

/** The content that a check judges. Values that rules have masked are placeholders in it. */
export interface GuardedContent {
  readonly stage: GuardStage;
  /** The texts in the order of the document: of a request, all of its strings. */
  readonly texts: readonly string[];
  /** The images of a request, as data URLs; those that the client names by their addresses are texts. */
  readonly images: readonly string[];
}

/** The call to which the content belongs. */
export interface GuardedCallFacts {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
}

/** The verdict of a check. `texts` are to be masked wherever they appear, if the action is `mask`. */
export interface CheckVerdict {
  readonly rule: string;
  readonly action: GuardAction;
  readonly texts: readonly string[];
}

/** The verdicts, empty for nothing; or a short code that says why the check could not decide, which never contains content. */
export type CheckResult = { readonly verdicts: readonly CheckVerdict[] } | { readonly problem: string };

/** A check of a guard that cannot decide at once, such as a moderation model or a webhook. */
export interface GuardCheck {
  /** How verdicts name it. */
  readonly name: 'moderation' | 'webhook';
  readonly onFailure: FailureMode;
  /** Bounded by a deadline of its own. Never rejects. */
  check(content: GuardedContent, call: GuardedCallFacts, signal: AbortSignal): Promise<CheckResult>;
}

/** Makes the asynchronous checks of a guard. */
export interface GuardChecks {
  /** Returns the checks of a guard; empty for a guard that has rules only. */
  of(guard: Guard): readonly GuardCheck[];
  /** Returns why a webhook with this URL would never be asked, without resolving it; `null` if nothing is known against it. */
  problemOf(url: string): 'invalid_url' | 'https_required' | null;
}
