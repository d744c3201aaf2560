import { IRREGULAR, IZE_VERBS, SPELLINGS } from './words.ts';

/**
 * Returns the form that stands for all forms of a word in lower case: `movies` and `film` become `movie`, `optimising` becomes `optimiz`.
 * It need not be a word.
 */
export function stemOf(word: string): string {
  const spelt = SPELLINGS.get(word) ?? word;
  const irregular = IRREGULAR.get(spelt);
  if (irregular !== undefined) return irregular;
  if (spelt.length <= 3 || !/^[a-z]+$/.test(spelt)) return spelt;
  const american = toAmerican(spelt);
  const singular = toSingular(american);
  const base = IRREGULAR.get(singular) ?? singular;
  if (base !== singular) return base;
  const verb = toVerb(base);
  return IRREGULAR.get(verb) ?? withoutEnd(verb);
}

/** Converts `organise`, `organising`, `organisation` and the like to spellings with `z`. */
function toAmerican(word: string): string {
  const at = word.lastIndexOf('is');
  if (at < 3 || !IZE_VERBS.has(word.slice(0, at))) return word;
  return `${word.slice(0, at)}iz${word.slice(at + 2)}`;
}

function toSingular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}

function toVerb(word: string): string {
  if (word.endsWith('ied') && word.length > 4) return `${word.slice(0, -3)}y`;
  const base = word.endsWith('ing') ? word.slice(0, -3) : word.endsWith('ed') ? word.slice(0, -2) : word;
  if (base.length < 3 || base === word || !/[aeiouy]/.test(base)) return word;
  const last = base.at(-1) ?? '';
  const isDoubled = last === base.at(-2) && !'aeiousl'.includes(last);
  return isDoubled ? base.slice(0, -1) : base;
}

/** Strips endings, so that `make` and `making`, `quick` and `quickly` coincide. */
function withoutEnd(word: string): string {
  const plain = word.endsWith('ly') && word.length > 5 ? word.slice(0, -2) : word;
  if (plain.endsWith('e') && plain.length > 3) return plain.slice(0, -1);
  return plain.endsWith('y') && plain.length > 4 ? `${plain.slice(0, -1)}i` : plain;
}
