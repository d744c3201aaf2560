/** Matches an image's size and the rest: `1024x1024/high`. */
const SIZED = /^(\d{1,6})x(\d{1,6})(\/.*)?$/;
/** Matches a video's resolution and the rest: `1080p/6s/audio`, `4k`. */
const RESOLVED = /^(?:(\d{2,5})p|(\d{1,2})k)(\/.*)?$/;
/** The lines of resolutions that are not named after them. `2160p` and `4k` are the same. */
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
  /** Begins with `/`, or is empty. */
  readonly quality: string;
}

/** The prices of one unit's variants as integers; pricing.ts defines which price applies. */
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

  /** Returns `undefined` if no variant has its own price. Every price is multiplied by `times`. */
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
   * Returns the general price for an unknown variant; if none exists, the highest. An unpriced size, resolution or length costs
   * at least as much as a smaller one with a price, because clients may choose any number.
   */
  priceOf(variant: string | undefined): bigint {
    const own = this.ownPrice(variant);
    return own ?? this.atLeast(this.general, variant, isNoMore);
  }

  /** Returns the most that a piece can cost if only this prefix of its variant is known; without a prefix, the most of any. */
  mostOf(variant: string | undefined): bigint {
    if (variant === undefined) return this.dearest;
    let most = this.priceOf(variant);
    for (const [name, price] of this.prices) if (name.startsWith(`${variant}/`) && price > most) most = price;
    if (this.ownPrice(variant) !== undefined) return most;
    // The variant may be only the quality of an image of unknown size.
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

  /** Returns `price`, or that of the most expensive size that is no larger, among the applicable qualities. */
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

/** Returns whether the part after a size is the same, empty, or a shorter length. */
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
