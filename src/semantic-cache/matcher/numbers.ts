/** Parses numbers in English texts, written in digits or words. */

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen';
const SMALL = new Map<string, number>(
  `${UNITS} eighteen nineteen`.split(' ').map((word, value): [string, number] => [word, value]),
);
const TENS = new Map<string, number>(
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, at) => [word, (at + 2) * 10]),
);
const ORDINALS = new Map<string, number>(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'
    .split(' ')
    .map((word, at) => [word, at + 1]),
);
const SCALES = new Map<string, number>([
  ['hundred', 1e2],
  ['thousand', 1e3],
  ['lakh', 1e5],
  ['lakhs', 1e5],
  ['lac', 1e5],
  ['lacs', 1e5],
  ['million', 1e6],
  ['millions', 1e6],
  ['crore', 1e7],
  ['crores', 1e7],
  ['cr', 1e7],
  ['billion', 1e9],
  ['billions', 1e9],
  ['bn', 1e9],
  ['mn', 1e6],
  ['trillion', 1e12],
  ['k', 1e3],
]);
const OTHERS = new Map<string, string>([
  ['once', '1x'],
  ['twice', '2x'],
  ['thrice', '3x'],
  ['dozen', '12'],
  ['half', '0.5'],
  ['quarter', '0.25'],
  ['double', '2x'],
  ['triple', '3x'],
  ['single', '1'],
]);

export interface ReadNumber {
  /**
   * `5000` for `5k`, `5,000` and `five thousand`; `2nd` for `second`; anything but a decimal number stays as written (`3.5.1`, `10:30`).
   */
  readonly value: string;
  /** The number of words that it spans. */
  readonly words: number;
}

/**
 * Parses the number that begins at `words[at]`, in lower case; returns `null` if it is not a number. A bare `one` is a pronoun as often as
 * a number, and does not count.
 */
export function readNumber(words: readonly string[], at: number): ReadNumber | null {
  const word = words[at] ?? '';
  const other = OTHERS.get(word);
  if (other !== undefined) return { value: other, words: 1 };
  const ordinal = ORDINALS.get(word);
  if (ordinal !== undefined) return { value: `${ordinal}th`, words: 1 };
  const code = word.charCodeAt(word.startsWith('-') ? 1 : 0);
  return code >= 48 && code <= 57 ? readDigits(words, at) : readWords(words, at);
}

function readDigits(words: readonly string[], at: number): ReadNumber {
  const digits = (words[at] ?? '').replace(/,(?=\d\d)/g, '');
  const next = words[at + 1] ?? '';
  if (['st', 'nd', 'rd', 'th'].includes(next)) return { value: `${Number(digits)}th`, words: 2 };
  const value = Number(digits);
  if (Number.isNaN(value)) return { value: digits, words: 1 };
  const scale = SCALES.get(next);
  return scale === undefined ? { value: String(value), words: 1 } : { value: String(value * scale), words: 2 };
}

function readWords(words: readonly string[], start: number): ReadNumber | null {
  let at = start;
  let [total, group] = [0, 0];
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    const value = SMALL.get(word) ?? TENS.get(word);
    const scale = at === start ? undefined : SCALES.get(word);
    if (value !== undefined && (group === 0 || group % (value < 10 ? 10 : 100) === 0)) group += value;
    else if (scale === 100 && group > 0) group *= scale;
    else if (scale !== undefined) {
      total += Math.max(1, group) * scale;
      group = 0;
    } else break;
  }
  if (at === start || (at === start + 1 && words[start] === 'one')) return readScale(words[start] ?? '');
  return { value: String(total + group), words: at - start };
}

/** Parses `a million`, `hundreds`. */
function readScale(word: string): ReadNumber | null {
  const scale = word.length > 2 ? (SCALES.get(word) ?? SCALES.get(word.replace(/s$/, ''))) : undefined;
  return scale === undefined ? null : { value: String(scale), words: 1 };
}
