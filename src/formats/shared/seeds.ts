import type { Loss } from '../../domain/exchange/loss.ts';

/** The largest signed 32-bit integer. */
export const LARGEST_INT32 = 2 ** 31 - 1;

/**
 * Returns the seed for a provider that accepts seeds from 0 to `largest`; `null` if the client gave none. A larger seed is folded
 * into that range, so that equal seeds still give equal results, and the loss names the new seed.
 */
export function seedWithin(
  { seed }: { readonly seed: number | null },
  largest: number,
): { readonly value: number | null; readonly losses: readonly Loss[] } {
  if (seed === null || seed <= largest) return { value: seed, losses: [] };
  const value = seed % (largest + 1);
  const why = `the provider accepts seeds up to ${largest}: ${seed} becomes ${value}`;
  return { value, losses: [{ field: 'seed', verdict: 'approximated', why }] };
}
