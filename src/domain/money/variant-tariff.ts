/** The size of an image and what follows it: `1024x1024/high`. */
const SIZED = /^(\d{1,6})x(\d{1,6})(\/.*)?$/;

interface SizedVariant {
  readonly pixels: number;
  /** With its `/`, or empty. */
  readonly quality: string;
}

/** The prices of the variants of one thing (pricing.ts says which holds for what), as whole numbers. */
export class VariantTariff {
  private readonly general: bigint;
  private readonly dearest: bigint;
  private readonly sized: readonly (SizedVariant & { readonly price: bigint })[];

  private constructor(
    private readonly prices: ReadonlyMap<string, bigint>,
    general: bigint | undefined,
  ) {
    this.dearest = [...prices.values()].reduce((most, price) => (price > most ? price : most), general ?? 0n);
    this.general = general ?? this.dearest;
    this.sized = [...prices].flatMap(([name, price]) => {
      const sized = sizedOf(name);
      return sized === null ? [] : [{ ...sized, price }];
    });
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

  /**
   * For an unknown variant the general price; if there is none, the highest. A size that has no price costs no less than a
   * smaller one that has: clients may choose any number of pixels.
   */
  priceOf(variant: string | undefined): bigint {
    const own = this.ownPrice(variant);
    return own ?? this.atLeast(this.general, variant, (quality, asked) => quality === '' || quality === asked);
  }

  /** The most that one may cost of which only this beginning of its variant is known; where not even that is, one of any. */
  mostOf(variant: string | undefined): bigint {
    if (variant === undefined) return this.dearest;
    let most = this.priceOf(variant);
    for (const [name, price] of this.prices) if (name.startsWith(`${variant}/`) && price > most) most = price;
    if (this.ownPrice(variant) !== undefined) return most;
    // The quality of an image whose size is not known.
    for (const [name, price] of this.prices) if (name.endsWith(`/${variant}`) && price > most) most = price;
    return this.atLeast(most, variant, (quality, asked) => asked === '' || quality === '' || quality === asked);
  }

  private ownPrice(variant: string | undefined): bigint | undefined {
    for (let name = variant ?? ''; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
      const price = this.prices.get(name);
      if (price !== undefined) return price;
    }
    return undefined;
  }

  /** `price`, or that of the dearest size that is no larger, of the qualities that count. */
  private atLeast(
    price: bigint,
    variant: string | undefined,
    counts: (quality: string, asked: string) => boolean,
  ): bigint {
    const asked = sizedOf(variant ?? '');
    if (asked === null) return price;
    let most = price;
    for (const one of this.sized) {
      if (one.pixels <= asked.pixels && one.price > most && counts(one.quality, asked.quality)) most = one.price;
    }
    return most;
  }
}

function sizedOf(variant: string): SizedVariant | null {
  const [, width, height, quality = ''] = SIZED.exec(variant) ?? [];
  return width === undefined || height === undefined ? null : { pixels: Number(width) * Number(height), quality };
}
