import type { Request } from '../../api/schema.ts';

export type Usage = Request['usage'];
export type Quantity = NonNullable<Usage>['quantities'][number];

const TOKEN_SIDES: Readonly<Record<string, 'input' | 'output'>> = {
  input_token: 'input',
  cached_input_token: 'input',
  cache_write_token: 'input',
  cache_write_1h_token: 'input',
  audio_input_token: 'input',
  image_input_token: 'input',
  output_token: 'output',
  reasoning_token: 'output',
  audio_output_token: 'output',
  image_output_token: 'output',
};

export function isToken({ unit }: Pick<Quantity, 'unit'>): boolean {
  return unit in TOKEN_SIDES;
}

/** All tokens of the prompt and of the answer; the parts do not overlap. */
export function tokensOf(usage: Usage): { readonly input: number; readonly output: number } {
  const sums = { input: 0, output: 0 };
  for (const { unit, amount } of usage?.quantities ?? []) {
    const side = TOKEN_SIDES[unit];
    if (side !== undefined) sums[side] += amount;
  }
  return sums;
}

const DECIMALS = 9;

/** Decimal texts in USD, added up exactly: a float would lose the last digits. */
export function sumUsd(amounts: readonly string[]): string {
  const sum = amounts.reduce((before, amount) => before + nanoUsd(amount), 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}

export function isSameUsd(one: string, other: string): boolean {
  return nanoUsd(one) === nanoUsd(other);
}

function nanoUsd(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, '0').slice(0, DECIMALS));
  return text.startsWith('-') ? -size : size;
}
