import { parseNanoUsd } from '../../domain/money/nano-usd.ts';
import { AdminError } from './admin-error.ts';
import { MAXIMUM_NANO_USD } from './identifiers.ts';

/** Parses a decimal amount in USD with an optional sign. Throws `AdminError`. */
export function signedAmountOf(field: string, text: string): bigint {
  const parsed = parseNanoUsd(text.slice(0, 60).replace(/^\+(?=\d)/, ''));
  if (!parsed.ok) throw new AdminError('invalid_value', field, parsed.problem);
  const magnitude = parsed.amountNanoUsd < 0n ? -parsed.amountNanoUsd : parsed.amountNanoUsd;
  if (magnitude > MAXIMUM_NANO_USD) throw new AdminError('invalid_value', field, 'must be at most 1000000000');
  return parsed.amountNanoUsd;
}
