/**
 * A member of a request by which an upstream chooses another model, bills more than tokens at the model's price, or uses
 * something that belongs to the owner of the channel's key. Members that no manifest lists pass unchanged.
 *
 * On a channel that all accounts share each of them is checked against the key's models, priced, or refused
 * (docs/billing.md); an account's own channel takes all of them, since the account pays the provider.
 */
export interface GovernedMember {
  /** From the body down: `service_tier`, `models[]` for each element, `tools[].type`. */
  readonly member: string;
  /** It is a header of the request instead, a list by commas. */
  readonly isHeader?: true;
  /** Only these values count; absent means any but `null`, `false`, and what is empty. */
  readonly values?: RegExp;
  /** Only for the upstream models whose id matches. */
  readonly models?: RegExp;
  readonly effect: GovernedEffect;
  /** What it does, and where that is known from. */
  readonly why: string;
}

export type GovernedEffect =
  /** Its value is the id of a model, as the upstream calls it. */
  | { readonly kind: 'names-model' }
  /** The upstream chooses a model, or prices, by rules that the gateway cannot see. */
  | { readonly kind: 'chooses-model' }
  /**
   * Every token costs so many times its price; by value, and `''` for any other value. `isTier`: it asks for a service tier, and
   * answers say in the same words by which they were served.
   */
  | { readonly kind: 'token-price'; readonly factors: Readonly<Record<string, string>>; readonly isTier?: true }
  /**
   * Web searches, each at the model's `per_web_search`, else at `usd`. `bound` is the member beside it that limits how many.
   * `isUncounted`: answers do not say how many there were, and one is charged.
   */
  | { readonly kind: 'web-search'; readonly usd?: string; readonly bound?: string; readonly isUncounted?: true }
  /**
   * A tool with which an image model draws, billed at that model's prices. `model` is the member beside it that names the model,
   * one of `models` if it does not; the members `sizedBy` say how large an image is; the member `limit` of the body says how many
   * calls of tools there may be.
   */
  | {
      readonly kind: 'image-tool';
      readonly model: string;
      readonly models: readonly string[];
      readonly sizedBy: readonly string[];
      readonly limit: string;
    }
  /** A tool that the provider runs and bills nothing for but the tokens of its calls and results. */
  | { readonly kind: 'hosted-tool' }
  /** It costs something beside tokens that the catalog has no price for, or that no answer reports. */
  | { readonly kind: 'unpriced' }
  /** It names or uses something of the channel's owner that no account is ever given. */
  | { readonly kind: 'owners-own' };
