import { parseNanoUsd } from '../../domain/money/nano-usd.ts';
import { AdminError } from './admin-error.ts';
import { MAXIMUM_NANO_USD } from './identifiers.ts';

/** A decimal amount in USD of zero or more. Throws `AdminError`. */
export function amountOf(field: string, text: string): bigint {
  const amountNanoUsd = signedAmountOf(field, text);
  if (amountNanoUsd < 0n) throw new AdminError('invalid_value', field, 'must be from 0 to 1000000000');
  return amountNanoUsd;
}

/** A decimal amount in USD with or without a sign. Throws `AdminError`. */
export function signedAmountOf(field: string, text: string): bigint {
  const parsed = parseNanoUsd(text.slice(0, 60).replace(/^\+(?=\d)/, ''));
  if (!parsed.ok) throw new AdminError('invalid_value', field, parsed.problem);
  const magnitude = parsed.amountNanoUsd < 0n ? -parsed.amountNanoUsd : parsed.amountNanoUsd;
  if (magnitude > MAXIMUM_NANO_USD) throw new AdminError('invalid_value', field, 'must be at most 1000000000');
  return parsed.amountNanoUsd;
}
