import type { Billable, Quantity } from './quantity.ts';

/*
 * Images that a provider's tool has drawn within a request to another model. They are billed at the prices of an image model, so these
 * quantities are in the usage under a variant that names the tool: `image_generation` for tokens and requests, and
 * `image_generation/1024x1024/high` for an image.
 */

const TOOL = 'image_generation';

export function isDrawn({ variant }: Quantity): boolean {
  return variant !== undefined && (variant === TOOL || variant.startsWith(`${TOOL}/`));
}

/** Marks a quantity of an image model as drawn by the tool. */
export function asDrawn(quantity: Quantity): Quantity {
  return { ...quantity, variant: quantity.variant === undefined ? TOOL : `${TOOL}/${quantity.variant}` };
}

/** Returns the quantity in the form that the image model prices. */
export function ofImageModel({ unit, amount, variant = '' }: Quantity): Quantity {
  const own = variant.slice(TOOL.length + 1);
  return own === '' ? { unit, amount } : { unit, amount, variant: own };
}

/** Returns the sums of quantities with the same unit and variant. */
export function summed(quantities: readonly Quantity[]): readonly Quantity[] {
  const sums = new Map<string, Quantity>();
  for (const quantity of quantities) {
    const name = `${quantity.unit} ${quantity.variant}`;
    sums.set(name, { ...quantity, amount: quantity.amount + (sums.get(name)?.amount ?? 0) });
  }
  return [...sums.values()];
}

/** Returns what the tool has drawn, in the form that the image model prices. */
export function drawnOf({ quantities, source }: Billable): Billable {
  return { quantities: quantities.filter(isDrawn).map(ofImageModel), source };
}

/** The prices of the model that draws. */
export interface DrawnPrices {
  /** Returns the cost of the quantity in 1e-24 USD. */
  unitsOfDrawn(quantity: Quantity): bigint;
  /** Returns the price of the quantity's unit, as in `AppliedPrices`; `0` if it is free. */
  priceOfDrawn(quantity: Quantity): string;
}
