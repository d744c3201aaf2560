import { isDrawn } from './drawn.ts';
import { formatNanoUsd } from './nano-usd.ts';
import { PROMPT_TOKEN_UNITS, type Quantity, type Unit } from './quantity.ts';
import { ONE_FACTOR } from './surcharge.ts';

/*
 * The cost of a request in parts, as answers tell it (docs/cost-in-answers.md). The parts add up to the total exactly: each is the
 * difference of two running sums, which are rounded half up. So a part differs from its exact value by less than one nano-USD.
 */

/** The members of a told cost besides the total, in the order in which they are written. Tokens come first. */
const PARTS = [
  ...['input', 'cached_input', 'cache_write', 'cache_write_1h', 'audio_input', 'image_input'],
  ...['output', 'reasoning', 'audio_output', 'image_output'],
  ...['image_generation', 'images', 'seconds', 'clips', 'characters', 'requests', 'web_searches'],
];
const NAMES = PARTS.map((part) => `","${part}_usd":"`);
/** The number of parts that a service tier's factor applies to. */
const TOKEN_PARTS = 10;
const DRAWN = PARTS.indexOf('image_generation');
const OUTPUT = PARTS.indexOf('output');

const PART_OF: Readonly<Record<Unit, number>> = {
  input_token: 0,
  cached_input_token: 1,
  cache_write_token: 2,
  cache_write_1h_token: 3,
  audio_input_token: 4,
  image_input_token: 5,
  output_token: OUTPUT,
  reasoning_token: 7,
  audio_output_token: 8,
  image_output_token: 9,
  image: 11,
  millisecond: 12,
  clip: 13,
  character: 14,
  request: 15,
  web_search: 16,
};

/** The parts that the prompt causes, for clients that know only prompt and completion. */
export const PROMPT_PARTS: readonly string[] = PROMPT_TOKEN_UNITS.map((unit) => `${PARTS[PART_OF[unit]]}_usd`);

/** The name of the member in `_routing`, after the comma that separates it from the others. */
const MEMBER = ',"cost":';
const START = `${MEMBER}{"total_usd":"`;
const END = '"}';

/** The cost of an answer that was not charged. */
export const NO_COST_MEMBER = `${MEMBER}{"total_usd":"0","input_usd":"0","output_usd":"0"}`;
/** The cost of an answer whose price is unknown. */
export const UNKNOWN_COST_MEMBER = `${MEMBER}null`;

const PICO_USD_PER_NANO_USD = 1_000;
const HALF_A_NANO_USD = PICO_USD_PER_NANO_USD / 2;

/*
 * Every answer has such a text, so it is written into one buffer: a string that is concatenated from a dozen pieces takes three times as
 * long. Both are used only within one call of a function.
 */
const picoUsdOf = new Float64Array(PARTS.length);
const text = Buffer.alloc(2_048);
const START_BYTES = Buffer.from(START);
const NAME_BYTES = NAMES.map((name) => Buffer.from(name));
const DOT = 0x2e;
const ZERO = 0x30;

/**
 * Returns the member of `_routing` with the cost, computed with numbers; `null` if the usage has variants, if numbers are not exact enough,
 * or if not the whole cost was charged. `prices` are in 1e-12 USD.
 */
export function costMemberInNumbers(
  quantities: readonly Quantity[],
  prices: Readonly<Record<Unit, number>>,
  chargedNanoUsd: bigint,
): string | null {
  picoUsdOf.fill(0);
  let total = HALF_A_NANO_USD;
  for (const { unit, amount, variant } of quantities) {
    if (variant !== undefined) return null;
    const picoUsd = amount * prices[unit];
    const part = PART_OF[unit];
    picoUsdOf[part] = (picoUsdOf[part] ?? 0) + picoUsd;
    total += picoUsd;
  }
  if (!(total <= Number.MAX_SAFE_INTEGER)) return null;
  const charged = wholeNanoUsd(total);
  if (BigInt(charged) !== chargedNanoUsd) return null;
  text.set(START_BYTES);
  let at = writeUsd(charged, START_BYTES.length);
  let sum = HALF_A_NANO_USD;
  let told = 0;
  for (let part = 0; part < NAME_BYTES.length; part++) {
    const picoUsd = picoUsdOf[part] ?? 0;
    const isAlwaysTold = part === 0 || part === OUTPUT;
    if (picoUsd === 0 && !isAlwaysTold) continue;
    sum += picoUsd;
    const upToHere = wholeNanoUsd(sum);
    const name = NAME_BYTES[part];
    if (name !== undefined && (upToHere > told || isAlwaysTold)) {
      text.set(name, at);
      at = writeUsd(upToHere - told, at + name.length);
    }
    told = upToHere;
  }
  at += text.write(END, at);
  return text.toString('latin1', 0, at);
}

function wholeNanoUsd(picoUsd: number): number {
  return (picoUsd - (picoUsd % PICO_USD_PER_NANO_USD)) / PICO_USD_PER_NANO_USD;
}

/** Writes the amount, which is below 2^53, as `formatNanoUsd` formats it. Returns the end of the text. */
function writeUsd(nanoUsd: number, start: number): number {
  const fraction = nanoUsd % 1e9;
  const whole = (nanoUsd - fraction) / 1e9;
  let at = start;
  if (whole < 10) text[at++] = ZERO + whole;
  else at += text.write(String(whole), at);
  if (fraction === 0) return at;
  text[at] = DOT;
  let end = 0;
  let rest = fraction;
  for (let place = at + 9; place > at; place--) {
    const before = Math.trunc(rest / 10);
    const digit = rest - before * 10;
    // Zeros at the end are left out.
    if (end === 0 && digit !== 0) end = place + 1;
    text[place] = ZERO + digit;
    rest = before;
  }
  return end;
}

/** The exact cost of each quantity, in 1e-24 USD and before the factor of a service tier. */
export interface ExactCost {
  readonly quantity: Quantity;
  readonly units: bigint;
}

/** A nano-USD in 1e-24 USD. */
const UNITS_PER_NANO_USD = 10n ** 15n;

/**
 * Does the same as `costMemberInNumbers` for every usage. If less than the cost was charged (a share for an answer from the cache, a part that
 * is held or written off), all parts are reduced in proportion.
 */
export function costMemberOf(costs: readonly ExactCost[], tokenFactor: bigint, chargedNanoUsd: bigint): string {
  const units = PARTS.map(() => 0n);
  for (const { quantity, units: more } of costs) {
    const part = isDrawn(quantity) ? DRAWN : PART_OF[quantity.unit];
    units[part] = (units[part] ?? 0n) + more;
  }
  const sums: bigint[] = [];
  let tokens = 0n;
  let pieces = 0n;
  for (const [part, more] of units.entries()) {
    if (part < TOKEN_PARTS) tokens += more;
    else pieces += more;
    sums.push((tokens * tokenFactor) / ONE_FACTOR + pieces);
  }
  const all = sums.at(-1) ?? 0n;
  const isWhole = (all + UNITS_PER_NANO_USD / 2n) / UNITS_PER_NANO_USD === chargedNanoUsd;
  let member = START + formatNanoUsd(chargedNanoUsd);
  let told = 0n;
  for (const [part, sum] of sums.entries()) {
    const upToHere = isWhole
      ? (sum + UNITS_PER_NANO_USD / 2n) / UNITS_PER_NANO_USD
      : all === 0n
        ? 0n
        : (sum * chargedNanoUsd + all / 2n) / all;
    if (upToHere > told || part === 0 || part === OUTPUT)
      member += (NAMES[part] ?? '') + formatNanoUsd(upToHere - told);
    told = upToHere;
  }
  return member + END;
}

/** Returns the member for the fee of a request over the account's own channel. */
export function feeMember(feeNanoUsd: bigint): string {
  const usd = formatNanoUsd(feeNanoUsd);
  return `${START}${usd}","input_usd":"0","output_usd":"0","fee_usd":"${usd}${END}`;
}

/** Returns the cost as JSON text. */
export function costJsonIn(member: string): string {
  return member.slice(MEMBER.length);
}

/** Returns the total in decimal USD; `null` if it is unknown. */
export function totalIn(member: string): string | null {
  return member === UNKNOWN_COST_MEMBER ? null : member.slice(START.length, member.indexOf('"', START.length));
}
