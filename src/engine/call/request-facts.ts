import type { RuleEffort } from '../../domain/routing/model-rule.ts';

/**
 * The facts of a request's body that rules compare. Each is computed when it is first compared, because most rules compare few of them;
 * `null` stands for a fact that this kind of request does not have.
 */
export interface RequestFacts {
  readonly stream: boolean;
  /**
   * Loads the earlier turns that the gateway has stored for this request, so that the facts include them. `null` if it continues none;
   * absent if this kind of request never does. Never rejects.
   */
  withPast?(): Promise<void> | null;
  /** Returns the estimated tokens of the prompt. */
  inputTokens(): number | null;
  tools(): number | null;
  images(): number | null;
  audio(): number | null;
  files(): number | null;
  reasoningEffort(): RuleEffort | null;
  /** Returns the client's own id of its session, or else a digest of the beginning of the conversation; `null` if it has neither. */
  session(): string | null;
  /** Returns the end user that the client names; `null` for none. */
  user(): string | null;
}
