/** The prices of the variants of one thing (pricing.ts says which holds for what), as whole numbers. */
export class VariantTariff {
  private readonly general: bigint;
  private readonly dearest: bigint;

  private constructor(
    private readonly prices: ReadonlyMap<string, bigint>,
    general: bigint | undefined,
  ) {
    this.dearest = [...prices.values()].reduce((most, price) => (price > most ? price : most), general ?? 0n);
    this.general = general ?? this.dearest;
  }

  /** `undefined` where no variant has a price of its own. Every price becomes `times` the number that is given. */
  static of(
    prices: ReadonlyMap<string, bigint> | undefined,
    general: bigint | undefined,
    times: bigint,
  ): VariantTariff | undefined {
    if (prices === undefined) return undefined;
    const multiplied = new Map([...prices].map(([variant, price]) => [variant, price * times]));
    return new VariantTariff(multiplied, general === undefined ? undefined : general * times);
  }

  /** For an unknown variant the general price; if there is none, the highest. */
  priceOf(variant: string | undefined): bigint {
    for (let name = variant ?? ''; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
      const price = this.prices.get(name);
      if (price !== undefined) return price;
    }
    return this.general;
  }

  /** The most that one may cost of which only this beginning of its variant is known; where not even that is, one of any. */
  mostOf(variant: string | undefined): bigint {
    if (variant === undefined) return this.dearest;
    let most = this.priceOf(variant);
    for (const [name, price] of this.prices) if (name.startsWith(`${variant}/`) && price > most) most = price;
    return most;
  }
}
