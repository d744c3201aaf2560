import type { Feature } from '../domain/exchange/loss.ts';

/**
 * One way in which a provider differs from the format that it otherwise speaks: data, with its reason beside it, read by
 * the format's encoder and decoder. `models` restricts it to the upstream models that match.
 */
export type Quirk = QuirkRule & {
  readonly models?: RegExp;
  /** Where this is known from, as a sentence for the reader and for the loss that it may cause. */
  readonly why: string;
};

export type QuirkRule =
  /** The feature is not there: a knob is dropped, what changes the meaning is refused. */
  | {
      readonly kind: 'lacks';
      readonly feature: Feature;
      readonly verdict: 'approximated' | 'dropped' | 'refused';
      /** The provider is known to answer it with an error: of `custom-tools`, not even a client of its own format is relayed. */
      readonly isRefused?: true;
    }
  /** The feature is there, unlike in the format's norm. */
  | { readonly kind: 'has'; readonly feature: Feature }
  /**
   * A top-level member has another name. `isRefused`: under the format's own name it is answered with an error, so that it is
   * renamed on the relay lane, too.
   */
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly isRefused?: true }
  /**
   * A member that the format's norm sends must not be sent: a top-level one, or another that its encoder knows by a path.
   * `isServed`: what it asks for is done without it, so that nothing is lost, and it is left out on the relay lane, too; a request
   * with any other such member is translated, and the loss is named.
   */
  | { readonly kind: 'omit'; readonly field: string; readonly isServed?: true }
  /** A top-level member that must always be sent, unless the request sets it. */
  | { readonly kind: 'set'; readonly field: string; readonly value: unknown }
  /** A role that the provider does not know goes out as another. */
  | { readonly kind: 'role'; readonly from: 'developer' | 'system'; readonly to: 'system' | 'user' }
  /** The member of an assistant message that takes earlier reasoning back. */
  | { readonly kind: 'reasoning-input'; readonly field: ReasoningField }
  /** How thinking is switched on, off and measured, where it is not `reasoning_effort`. */
  | { readonly kind: 'thinking-switch'; readonly style: ThinkingStyle }
  /** The efforts that it takes, in rising order; others go to the nearest. */
  | { readonly kind: 'efforts'; readonly values: readonly string[] }
  /** Tool call ids must look like this; others are mapped to such ones, the same id always to the same. */
  | { readonly kind: 'tool-call-ids'; readonly pattern: RegExp; readonly length: number }
  /** Reasoning tokens are reported beside `completion_tokens` and not inside it. */
  | { readonly kind: 'reasoning-beside-completion' };

export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_blocks' | 'none';

export type ThinkingStyle =
  /** `thinking: {type: "enabled" | "disabled"}` (Z.ai, Moonshot, DeepSeek). */
  | 'thinking-type'
  /** `enable_thinking: boolean`, `thinking_budget` (Alibaba). */
  | 'enable-thinking'
  /** `reasoning: {effort | max_tokens | enabled}` (OpenRouter). */
  | 'reasoning-object'
  /** `chat_template_kwargs: {enable_thinking}` (vLLM and its kin). */
  | 'template-arguments';
