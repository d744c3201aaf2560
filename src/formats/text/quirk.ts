import type { Feature } from '../../domain/exchange/loss.ts';
import type { Reasons } from '../../domain/exchange/reasoning.ts';

/**
 * One difference between a provider and the format that it speaks. A quirk is data, with its reason, and is read by the
 * format's encoder and decoder. `models` restricts it to the upstream models that match.
 */
export type Quirk = QuirkRule & {
  readonly models?: RegExp;
  /** The source of this knowledge, as a sentence. It is also shown in the loss that the quirk may cause. */
  readonly why: string;
  /** Nothing is known about the server. A client of the provider's own format may know more, so it is relayed all the same. */
  readonly isGuess?: true;
};

export type QuirkRule =
  /** The feature is missing: a tuning option is dropped, but a feature that changes the meaning is refused. */
  | {
      readonly kind: 'lacks';
      readonly feature: Feature;
      readonly verdict: 'approximated' | 'dropped' | 'refused';
      /**
       * The provider is known to answer the feature with an error. For `custom-tools`, even a client of the provider's own
       * format is not relayed.
       */
      readonly isRefused?: true;
      /** The model lacks the feature only while it reasons. */
      readonly while?: Reasons;
    }
  /**
   * Function tools are refused while the model reasons. Such a request goes over another wire of the channel or, if there is
   * none, is sent with the effort `none`.
   */
  | { readonly kind: 'tools-at-rest'; readonly while: Reasons }
  /** A schema in strict mode is refused unless all its objects are closed and all their properties required. */
  | { readonly kind: 'closed-schemas' }
  /** Every function must have `parameters`; a function without any gets those of an empty object. */
  | { readonly kind: 'function-parameters' }
  /** The provider has the feature, although the format's norm does not. */
  | { readonly kind: 'has'; readonly feature: Feature }
  /**
   * A top-level member has another name. `isRefused`: the provider answers the format's own name with an error, so the
   * member is also renamed on the relay lane.
   */
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly isRefused?: true }
  /**
   * A member that the format's norm sends must not be sent: a top-level member, or another one that the encoder knows by path.
   * `isServed`: the provider does what the member asks for even without it, so nothing is lost, and the member is also left out
   * on the relay lane. Any other request with such a member is translated, and the loss is named.
   */
  | { readonly kind: 'omit'; readonly field: string; readonly isServed?: true }
  /**
   * A top-level member that must always be sent. A value in the request takes precedence, and so does the member that excludes
   * it, if the provider has one.
   */
  | { readonly kind: 'set'; readonly field: string; readonly value: unknown; readonly unless?: string }
  /**
   * A top-level number for which the provider enforces narrower bounds than the format. A value outside them is sent as the
   * nearest bound, and a client of the provider's own format is not relayed with it.
   */
  | { readonly kind: 'bounds'; readonly field: string; readonly least: number; readonly most: number }
  /** The provider does not know this role, so another role is sent. */
  | { readonly kind: 'role'; readonly from: 'developer' | 'system'; readonly to: 'system' | 'user' }
  /**
   * The member of an assistant message that takes earlier reasoning back. `isRequired`: the provider refuses an assistant
   * message without the member, so a message that has no reasoning gets an empty one.
   */
  | { readonly kind: 'reasoning-input'; readonly field: ReasoningField; readonly isRequired?: true }
  /**
   * An order of messages that the provider refuses: two user messages or two assistant messages in a row (`alternating`), a user
   * message right after a tool result (`answered-results`), or assistant text in the same message as its tool calls
   * (`calls-apart`).
   */
  | { readonly kind: 'message-order'; readonly rule: 'alternating' | 'answered-results' | 'calls-apart' }
  /**
   * The provider refuses a forced tool choice while the model thinks. If the provider has a switch for thinking, it is switched
   * off; otherwise the model chooses.
   */
  | { readonly kind: 'unforced-while-thinking' }
  /** The provider refuses any member of a request, or of a message with a given role, that is not in these lists. */
  | {
      readonly kind: 'closed';
      readonly members: readonly string[];
      readonly messages: Readonly<Record<string, readonly string[]>>;
    }
  /** A final assistant message, which the model is to continue, must have this member with the value `true`. */
  | { readonly kind: 'prefill'; readonly member: string }
  /** How thinking is switched on and off and how its amount is set, if not by `reasoning_effort`. */
  | { readonly kind: 'thinking-switch'; readonly style: ThinkingStyle }
  /** The efforts that the provider accepts, in rising order. Any other effort is mapped to the nearest one. */
  | { readonly kind: 'efforts'; readonly values: readonly string[] }
  /** The rule for tool call ids. Other ids are mapped to valid ones; the same id always gets the same result. */
  | { readonly kind: 'tool-call-ids'; readonly pattern: RegExp; readonly length: number }
  /** Reasoning tokens are reported in addition to `completion_tokens`, not as part of them. */
  | { readonly kind: 'reasoning-beside-completion' };

export type ReasoningField = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'thinking_blocks' | 'none';

export type ThinkingStyle =
  /** `reasoning_effort` and no other member: the provider refuses the members of the other styles. */
  | 'effort'
  /** `thinking: {type: "enabled" | "disabled"}` (Z.ai, Moonshot, DeepSeek). */
  | 'thinking-type'
  /** `enable_thinking: boolean`, `thinking_budget` (Alibaba). */
  | 'enable-thinking'
  /** `reasoning: {effort | max_tokens | enabled}` (OpenRouter). */
  | 'reasoning-object'
  /** `chat_template_kwargs: {enable_thinking}` (vLLM and its relatives). */
  | 'template-arguments';

/** Returns the quirks of one kind, in their order. */
export function quirksOf<Kind extends Quirk['kind']>(
  quirks: readonly Quirk[],
  kind: Kind,
): readonly Extract<Quirk, { kind: Kind }>[] {
  return quirks.filter((quirk): quirk is Extract<Quirk, { kind: Kind }> => quirk.kind === kind);
}

/** Returns the quirk of this kind that applies: the last one if there are several. */
export function quirkOf<Kind extends Quirk['kind']>(
  quirks: readonly Quirk[],
  kind: Kind,
): Extract<Quirk, { kind: Kind }> | undefined {
  return quirks.findLast((quirk): quirk is Extract<Quirk, { kind: Kind }> => quirk.kind === kind);
}
