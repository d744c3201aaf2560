/** A text in which spellings of the same word are equal, with the place of each unit in the original. */
export interface NormalText {
  readonly text: string;
  /** Offsets into the original, one for each unit of `text`, and one for its end. */
  readonly places: Uint32Array;
}

/** Look-alike letters of other scripts, after lower-casing and decomposition (Unicode, confusables.txt). */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['a', 'аαɑⱥ'],
    ['b', 'ЬьБƄɓ'.toLowerCase()],
    ['c', 'сϲⅽↄ'],
    ['d', 'ԁɗⅾ'],
    ['e', 'еєεҽ'],
    ['f', 'ғƒϝ'],
    ['g', 'ɡց'],
    ['h', 'һհ'],
    ['i', 'іıɩιӏ¡'],
    ['j', 'јϳ'],
    ['k', 'кκ'],
    ['l', 'ⅼ'],
    ['m', 'мⅿ'],
    ['n', 'пηռ'],
    ['o', 'оοօσø'],
    ['p', 'рρ'],
    ['q', 'ԛ'],
    ['r', 'гᴦ'],
    ['s', 'ѕꜱ'],
    ['t', 'тτ'],
    ['u', 'υսц'],
    ['v', 'ѵνⅴ'],
    ['w', 'ԝѡω'],
    ['x', 'хχⅹ'],
    ['y', 'уүγ'],
    ['z', 'ᴢʐ'],
    ['ss', 'ß'],
  ].flatMap(([letter = '', others = '']) => [...others].map((other) => [other, letter])),
);

const LEETSPEAK: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g' },
  ...{ '@': 'a', $: 's', '!': 'i', '|': 'i', '+': 't', '€': 'e' },
};

/** Combining marks, and what no reader sees: soft hyphens, zero-width characters, directions, variations and tags. */
const UNSEEN = /[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const PLAIN = /^[ a-z]*$/;

/**
 * Normalizes a text: lower case, compatible forms such as full-width letters, no accents and no invisible characters, letters of other scripts
 * that look like Latin ones, and one space for any white space.
 */
export function normalText(original: string, { leetspeak }: { readonly leetspeak: boolean }): NormalText {
  if (PLAIN.test(original) && !original.includes('  ')) return { text: original, places: identity(original.length) };
  const places: number[] = [];
  let text = '';
  let at = 0;
  for (const character of original) {
    const normal = normalCharacter(character, leetspeak);
    const isSecondSpace = normal === ' ' && text.endsWith(' ');
    if (!isSecondSpace) {
      for (let unit = 0; unit < normal.length; unit++) places.push(at);
      text += normal;
    }
    at += character.length;
  }
  places.push(at);
  return { text, places: Uint32Array.from(places) };
}

function identity(length: number): Uint32Array {
  return Uint32Array.from({ length: length + 1 }, (_, at) => at);
}

function normalCharacter(character: string, leetspeak: boolean): string {
  if (character >= 'a' && character <= 'z') return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    if (character >= 'A' && character <= 'Z') return character.toLowerCase();
    if (code <= 0x20) return ' ';
    return (leetspeak ? LEETSPEAK[character] : undefined) ?? character;
  }
  let normal = '';
  for (const part of character.normalize('NFKD').toLowerCase()) {
    if (UNSEEN.test(part)) continue;
    normal += LOOK_ALIKES[part] ?? (/\s/.test(part) ? ' ' : ((leetspeak ? LEETSPEAK[part] : undefined) ?? part));
  }
  return normal;
}
