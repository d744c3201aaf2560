/**
 * A member of a request by which an upstream chooses another model, bills more than tokens at the model's price, or uses
 * something that belongs to the owner of the channel's key. Members that no manifest lists pass unchanged.
 *
 * On a channel that all accounts share, each such member is checked against the key's models, priced, or refused
 * (docs/billing.md); an account's own channel accepts all of them, because the account pays the provider.
 */
export interface GovernedMember {
  /** The path from the body: `service_tier`, `models[]` for each element, `tools[].type`. */
  readonly member: string;
  /** The member is a request header instead, a comma-separated list. */
  readonly isHeader?: true;
  /** Only these values count; absent means any except `null`, `false` and empty ones. */
  readonly values?: RegExp;
  /** Applies only to upstream models whose id matches. */
  readonly models?: RegExp;
  readonly effect: GovernedEffect;
  /** The effect of the member, and the source. */
  readonly why: string;
}

export type GovernedEffect =
  /** The value is a model id in the upstream's naming. */
  | { readonly kind: 'names-model' }
  /** The upstream chooses a model, or prices, by rules that the gateway does not know. */
  | { readonly kind: 'chooses-model' }
  /**
   * Multiplies the price of every token by a factor; by value, with `''` for any other value. `isTier`: the member requests a
   * service tier, and answers report the tier that was used under the same names.
   */
  | { readonly kind: 'token-price'; readonly factors: Readonly<Record<string, string>>; readonly isTier?: true }
  /**
   * Web searches, each at the model's `per_web_search`, otherwise at `usd`. `bound` is the sibling member that limits their
   * number. `isUncounted`: answers do not report the number, and one is charged.
   */
  | { readonly kind: 'web-search'; readonly usd?: string; readonly bound?: string; readonly isUncounted?: true }
  /**
   * A tool with which an image model draws, billed at that model's prices. `model` is the sibling member that names the model,
   * otherwise one of `models`; the members `sizedBy` determine an image's size; the body's member `limit` limits the number of
   * tool calls.
   */
  | {
      readonly kind: 'image-tool';
      readonly model: string;
      readonly models: readonly string[];
      readonly sizedBy: readonly string[];
      readonly limit: string;
    }
  /** A tool that the provider runs without charging for anything but the tokens of its calls and results. */
  | { readonly kind: 'hosted-tool' }
  /** Costs something in addition to tokens for which the catalog has no price, or which no answer reports. */
  | { readonly kind: 'unpriced' }
  /** Names or uses something of the channel's owner that no account may access. */
  | { readonly kind: 'owners-own' };
