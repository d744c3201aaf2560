import type { Loss } from '../../domain/exchange/loss.ts';

/** The largest whole number of 32 bits, of which one is the sign. */
export const LARGEST_INT32 = 2 ** 31 - 1;

/**
 * Returns the seed for a provider that takes seeds from 0 to `largest`; `null` where the client gave none. A larger seed is folded
 * into that range, so that equal seeds still make equal results, and the loss says which one it became.
 */
export function seedWithin(
  { seed }: { readonly seed: number | null },
  largest: number,
): { readonly value: number | null; readonly losses: readonly Loss[] } {
  if (seed === null || seed <= largest) return { value: seed, losses: [] };
  const value = seed % (largest + 1);
  const why = `the provider takes seeds up to ${largest}: ${seed} becomes ${value}`;
  return { value, losses: [{ field: 'seed', verdict: 'approximated', why }] };
}
