import { hasLuhnDigit, ibanLength, mayBeSsn } from './checksums.ts';
import type { PiiClass } from './guard.ts';
import type { Match } from './patterns/pattern.ts';

/*
 * The detectors of personal data and secrets. Each expression of the language below has bounded repetitions that cannot match the same text in
 * two ways, so that a text costs at most a fixed number of steps for each of its characters.
 */

interface Detector {
  readonly expression: RegExp;
  /** Returns how much of the match is the value, from its beginning on; 0 for none. Absent if all of it is. */
  check?(match: string): number;
}

const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}-])/gu;
/** An international number, or a local one with separators. */
const INTERNATIONAL = /(?<![\p{L}\p{N}+])(?:\+|00)[1-9]\d{0,3}(?:[ ./-]{0,2}\(?\d{1,5}\)?){2,7}(?![\p{L}\p{N}])/gu;
const NATIONAL = /(?<![\p{L}\p{N}.+-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\p{L}\p{N}]|[.-]\d)/gu;
const CARD = /(?<![\p{L}\p{N}])[1-9](?:[ -]?\d){12,18}(?![\p{L}\p{N}])/gu;
const IBAN = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}/gu;
const US_SSN = /(?<![\p{L}\p{N}-])\d{3}([ -])\d{2}\1\d{4}(?![\p{L}\p{N}]|-\d)/gu;
const IPV4 =
  /(?<![\p{L}\p{N}.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\p{L}\p{N}]|\.\d)/gu;
const IPV6 = /(?<![\p{L}\p{N}:])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\p{L}\p{N}:])/gu;
/** Keys with a published prefix, tokens and private keys. */
const SECRETS: readonly RegExp[] = [
  /(?<![\p{L}\p{N}])sk-[A-Za-z0-9_-]{20,200}/gu,
  /(?<![\p{L}\p{N}])(?:AKIA|ASIA)[A-Z0-9]{16}(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])gh[pousr]_[A-Za-z0-9]{36,255}/gu,
  /(?<![\p{L}\p{N}])github_pat_[A-Za-z0-9_]{60,255}/gu,
  /(?<![\p{L}\p{N}])glpat-[A-Za-z0-9_-]{20,100}/gu,
  /(?<![\p{L}\p{N}])xox[abeoprs]-[A-Za-z0-9-]{10,250}/gu,
  /(?<![\p{L}\p{N}])AIza[A-Za-z0-9_-]{35}/gu,
  /(?<![\p{L}\p{N}])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,250}/gu,
  /(?<![\p{L}\p{N}])(?:hf_|npm_|pypi-|dop_v1_|SG\.)[A-Za-z0-9_.-]{22,250}/gu,
  /(?<![\p{L}\p{N}._-])eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,2000}/gu,
  /-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\:,]|-(?!-)){16,8000}-----END (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----/gu,
];

const DETECTORS: Readonly<Record<PiiClass, readonly Detector[]>> = {
  email: [{ expression: EMAIL }],
  phone: [{ expression: INTERNATIONAL, check: phoneLength }, { expression: NATIONAL }],
  card: [{ expression: CARD, check: cardLength }],
  iban: [{ expression: IBAN, check: spacedIbanLength }],
  us_ssn: [{ expression: US_SSN, check: (match) => (mayBeSsn(digitsOf(match)) ? match.length : 0) }],
  ip_address: [{ expression: IPV4 }, { expression: IPV6, check: (match) => (isIpv6(match) ? match.length : 0) }],
  secret: SECRETS.map((expression) => ({ expression })),
};

/** A character without which a text has no value of the class, so that most texts are searched for one character only. */
const NEEDED: Readonly<Record<PiiClass, RegExp>> = {
  email: /@/,
  phone: /\d/,
  card: /\d/,
  iban: /\d/,
  us_ssn: /\d/,
  ip_address: /[\d:]/,
  secret: /[-_AS]|eyJ/,
};

/** Returns at most `most` values of a class, from left to right for each of its forms. */
export function piiIn(kind: PiiClass, text: string, most: number): readonly Match[] {
  if (!NEEDED[kind].test(text)) return [];
  const found: Match[] = [];
  for (const { expression, check } of DETECTORS[kind]) {
    for (const match of text.matchAll(expression)) {
      const length = check === undefined ? match[0].length : check(match[0]);
      if (length > 0) found.push({ start: match.index, end: match.index + length });
      if (found.length >= most) return found;
    }
  }
  return found;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** E.164: at most 15 digits; shorter ones than 8 are not numbers of another country. */
function phoneLength(match: string): number {
  const digits = digitsOf(match).replace(/^00/, '').length;
  return digits >= 8 && digits <= 15 ? match.length : 0;
}

/** The first digits of issuers: airlines' and others' numbers with a right check digit are rare. */
function cardLength(match: string): number {
  const digits = digitsOf(match);
  return /^(?:[3-6]|2[2-7])/.test(digits) && new Set(digits).size > 1 && hasLuhnDigit(digits) ? match.length : 0;
}

/** The expression also takes words that follow a number with spaces. */
function spacedIbanLength(match: string): number {
  const length = ibanLength(match.replace(/[ -]/g, ''));
  if (length === null) return 0;
  let counted = 0;
  for (let at = 0; at < match.length; at++) {
    if (/[A-Za-z0-9]/.test(match.charAt(at)) && ++counted === length) {
      return /[A-Za-z0-9]/.test(match.charAt(at + 1)) ? 0 : at + 1;
    }
  }
  return 0;
}

function isIpv6(match: string): boolean {
  const groups = match.split(':');
  const isShortened = match.includes('::');
  if (match.split('::').length > 2 || /:::/.test(match)) return false;
  // A word with two colons, such as `a::b`, is not an address: at least two groups of an address have digits.
  const filled = groups.filter((group) => group !== '').length;
  return isShortened ? filled >= 2 && groups.length <= 8 && /\d/.test(match) : groups.length === 8 && filled === 8;
}
