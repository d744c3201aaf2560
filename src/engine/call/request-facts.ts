import type { BodyFacts } from '../../domain/routing/model-rule.ts';

/** The facts of a request's body that rules compare, and those by which its requests are told apart. */
export interface RequestFacts extends BodyFacts {
  /**
   * Loads the earlier turns that the gateway has stored for this request, so that the facts include them. `null` if it continues none;
   * absent if this kind of request never does. Never rejects.
   */
  withPast?(): Promise<void> | null;
  /** Returns the client's own id of its session, or else a digest of the beginning of the conversation; `null` if it has neither. */
  session(): string | null;
  /** Returns the end user that the client names; `null` for none. */
  user(): string | null;
}
