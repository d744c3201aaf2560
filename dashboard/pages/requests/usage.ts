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

/** Returns all tokens of the prompt and of the answer; the parts do not overlap. */
export function tokensOf(usage: Usage): { readonly input: number; readonly output: number } {
  const sums = { input: 0, output: 0 };
  for (const { unit, amount } of usage?.quantities ?? []) {
    const side = TOKEN_SIDES[unit];
    if (side !== undefined) sums[side] += amount;
  }
  return sums;
}
