import type { NormalText } from './normal-text.ts';

/** Characters that no reader sees, and forms of other characters that are only wider or otherwise dressed up. */
const DRESSED = /[\p{Cf}\p{Default_Ignorable_Code_Point}\uff01-\uff5e\u2460-\u24ff\u{1d400}-\u{1d7ff}\p{Nd}]/u;
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const DIGIT = /\p{Nd}/u;
const ASCII = /^[^\u0080-\uffff]*$/;

/**
 * Returns the text without invisible characters, with full-width and similar forms and the digits of all scripts as plain ones, in which numbers
 * and addresses can be found; `null` if that is the text itself.
 */
export function foldedText(original: string): NormalText | null {
  if (ASCII.test(original) || !hasDressed(original)) return null;
  const places: number[] = [];
  let text = '';
  let at = 0;
  for (const character of original) {
    const plain = plainOf(character);
    for (let unit = 0; unit < plain.length; unit++) places.push(at);
    text += plain;
    at += character.length;
  }
  if (text === original) return null;
  places.push(at);
  return { text, places: Uint32Array.from(places) };
}

function hasDressed(text: string): boolean {
  return DRESSED.test(text.replace(/[^\u0080-\uffff]+/g, ''));
}

function plainOf(character: string): string {
  if (character < '\x80') return character;
  if (UNSEEN.test(character)) return '';
  if (DIGIT.test(character)) return digitOf(character);
  return DRESSED.test(character) ? character.normalize('NFKC') : character;
}

/** The digits of every script follow each other, and begin after a character that is no digit or after another ten. */
function digitOf(character: string): string {
  const plain = character.normalize('NFKC');
  if (plain >= '0' && plain <= '9') return plain;
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}
