import type { Guard, GuardStage, GuardVerdict } from '../../domain/guards/guard.ts';

/** The content that a check judges. Values that rules have masked are placeholders in it. */
export interface GuardedContent {
  readonly stage: GuardStage;
  /** The texts in the order of the document: of a request, all of its strings. */
  readonly texts: readonly string[];
  /** The images of a request, as data URLs or the addresses that the client has sent. */
  readonly images: readonly string[];
}

/** The call to which the content belongs. */
export interface GuardedCallFacts {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The client's format, or the name of the operation. */
  readonly format: string;
  /** The model as the client has named it; `null` if it has named none. */
  readonly modelId: string | null;
}

/** A check of a guard that cannot decide at once, such as a moderation model or a webhook. */
export interface GuardCheck {
  readonly guard: Guard;
  readonly stages: readonly GuardStage[];
  /**
   * Resolves to what it has found; empty for nothing. A verdict with `refuse` refuses the request or ends the response. Bounded by a deadline
   * of its own; resolves to a refusal or to nothing if it fails, as its guard says. Never rejects.
   */
  check(content: GuardedContent, call: GuardedCallFacts, signal: AbortSignal): Promise<readonly GuardVerdict[]>;
}

/** Makes the asynchronous checks of a guard. */
export interface GuardChecks {
  /** Returns the checks of a guard; empty for a guard that has rules only. Called once for each version of a guard. */
  of(guard: Guard): readonly GuardCheck[];
}
