/** The size of an image and what follows it: `1024x1024/high`. */
const SIZED = /^(\d{1,6})x(\d{1,6})(\/.*)?$/;
/** The resolution of a video and what follows it: `1080p/6s/audio`, `4k`. */
const RESOLVED = /^(?:(\d{2,5})p|(\d{1,2})k)(\/.*)?$/;
/** Resolutions that are not named after their lines. `2160p` and `4k` are the same. */
const LINES_OF_K: Readonly<Record<string, number>> = {
  '1': 540,
  '2': 1_440,
  '3': 1_800,
  '4': 2_160,
  '5': 2_880,
  '8': 4_320,
};
const LINES_PER_K = 540;

interface SizedVariant {
  readonly kind: 'pixels' | 'lines';
  readonly size: number;
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
   * For an unknown variant the general price; if there is none, the highest. A size, resolution or length that has no price
   * costs no less than a smaller one that has: clients may choose any number.
   */
  priceOf(variant: string | undefined): bigint {
    const own = this.ownPrice(variant);
    return own ?? this.atLeast(this.general, variant, isNoMore);
  }

  /** The most that one may cost of which only this beginning of its variant is known; where not even that is, one of any. */
  mostOf(variant: string | undefined): bigint {
    if (variant === undefined) return this.dearest;
    let most = this.priceOf(variant);
    for (const [name, price] of this.prices) if (name.startsWith(`${variant}/`) && price > most) most = price;
    if (this.ownPrice(variant) !== undefined) return most;
    // The quality of an image whose size is not known.
    for (const [name, price] of this.prices) if (name.endsWith(`/${variant}`) && price > most) most = price;
    return this.atLeast(most, variant, (quality, asked) => asked === '' || isNoMore(quality, asked));
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
      const isSmaller = one.kind === asked.kind && one.size <= asked.size;
      if (isSmaller && one.price > most && counts(one.quality, asked.quality)) most = one.price;
    }
    return most;
  }
}

const LENGTH = /^\/(\d{1,5}(?:\.\d{1,6})?)s(\/.*)?$/;

/** Whether what follows a size is the same, says nothing, or is a shorter length. */
function isNoMore(quality: string, asked: string): boolean {
  if (quality === '' || quality === asked) return true;
  const [, seconds, rest = ''] = LENGTH.exec(quality) ?? [];
  const [, most, other = ''] = LENGTH.exec(asked) ?? [];
  if (seconds === undefined || most === undefined || Number(seconds) > Number(most)) return false;
  return rest === '' || rest === other;
}

function sizedOf(variant: string): SizedVariant | null {
  const [, width, height, quality = ''] = SIZED.exec(variant) ?? [];
  if (width !== undefined && height !== undefined) {
    return { kind: 'pixels', size: Number(width) * Number(height), quality };
  }
  const [found, lines, k = '', rest = ''] = RESOLVED.exec(variant) ?? [];
  if (found === undefined) return null;
  const size = lines === undefined ? (LINES_OF_K[k] ?? Number(k) * LINES_PER_K) : Number(lines);
  return { kind: 'lines', size, quality: rest };
}
