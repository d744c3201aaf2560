import { isObject, type JsonObject } from '../shared/json.ts';
import { type PriceKey, priceLines } from '../shared/models/pricing.ts';

/**
 * Returns the change that turns one set of prices into another, as the API merges it: new values, and `null` for what is removed; undefined
 * if they are equal. Anything but a map replaces all prices.
 */
export function priceChange(before: unknown, after: unknown): unknown {
  if (!isObject(after)) return isEqual(before, after) ? undefined : after;
  const old: JsonObject = isObject(before) ? before : {};
  const removed = Object.keys(old).filter((key) => after[key] === undefined);
  const changed = Object.entries(after).flatMap(([key, value]) => {
    const change = priceChange(old[key], value);
    return change === undefined ? [] : [[key, change]];
  });
  const all = [...changed, ...removed.map((key) => [key, null])];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export interface PriceDifference {
  /** The price, its variant, and the prompt length above which it applies. */
  readonly key: PriceKey;
  readonly variant?: string;
  readonly above?: number;
  /** USD; `null` if there is no such price. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Returns the prices that differ now, those that are removed first. */
export function priceDifferences(before: unknown, after: unknown, nowMs: number): readonly PriceDifference[] {
  const [old, next] = [linesById(before, nowMs), linesById(after, nowMs)];
  const differences = [...new Set([...old.keys(), ...next.keys()])].flatMap((id) => {
    const [was, is] = [old.get(id), next.get(id)];
    const line = (was ?? is)?.line;
    const [from, to] = [was?.usd ?? null, is?.usd ?? null];
    return line === undefined || from === to ? [] : [{ ...line, before: from, after: to }];
  });
  return differences.sort((one, other) => Number(one.after !== null) - Number(other.after !== null));
}

function linesById(pricing: unknown, nowMs: number) {
  return new Map(priceLines(pricing, nowMs).map(({ usd, ...line }) => [JSON.stringify(line), { line, usd }] as const));
}

const TEXT = [['input_per_1m', 'output_per_1m'], ['per_request']] as const;

/** The sets of prices of which a model of the category needs one, since it would otherwise give away what it is used for. */
const NEEDED: Readonly<Record<string, readonly (readonly PriceKey[])[]>> = {
  chat: TEXT,
  audio: TEXT,
  translation: TEXT,
  image: [['per_image'], ['image_output_per_1m'], ['output_per_1m'], ['per_request']],
  video: [['per_second'], ['per_clip'], ['per_request'], ['output_per_1m']],
  music: [['per_clip'], ['per_request'], ['per_second']],
  '3d': [['per_clip'], ['per_request']],
  tts: [['per_character'], ['audio_output_per_1m'], ['output_per_1m'], ['per_second'], ['per_request']],
  stt: [['per_second'], ['audio_input_per_1m'], ['input_per_1m'], ['per_request']],
  embedding: [['input_per_1m'], ['per_request']],
  rerank: [['per_request'], ['input_per_1m']],
};

/** Returns the prices that the category needs and that are missing; none if one of the sets is complete. */
export function neededPrices(category: string, prices: JsonObject): readonly PriceKey[] {
  const has = (key: PriceKey) => prices[key] !== undefined || prices[`${key}_variants`] !== undefined;
  const sets = NEEDED[category] ?? [];
  if (sets.length === 0 || sets.some((set) => set.every(has))) return [];
  // The set that is begun, else the usual one.
  const wanted = sets.find((set) => set.some(has)) ?? sets[0] ?? [];
  return wanted.filter((key) => !has(key));
}
