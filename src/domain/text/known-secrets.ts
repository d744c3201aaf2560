/** A part of a secret of this length counts as the secret: providers quote truncated keys, from the beginning or to the end. */
const RUN_CHARACTERS = 12;
/** A shorter text is an ordinary word, not a key. */
const SHORTEST_SECRET = 6;
/** A shorter word of only letters names a server (`ollama`), and its errors would be incomprehensible without it. */
const SHORTEST_WORD = 8;
/** Longer secrets (certificate keys) are searched for only verbatim, because their other spellings would take megabytes. */
const LONGEST_RESPELT = 512;
/** The least number of characters on each side of the stars of `sk-ab****yz`. */
const MASKED_CHARACTERS = 3;
const LONGEST_MASKED_SIDE = 64;

const REDACTED = '[redacted]';

/**
 * Finds known secrets in untrusted text, in any of these forms: whole; any part of 12 or more characters; in base64, hexadecimal,
 * percent-encoding or JSON; in any letter case; and masked by stars or dots. The search tables are built for the first text.
 */
export class KnownSecrets {
  readonly #list: () => readonly string[];
  #secrets: readonly string[] | null = null;
  #literals: readonly string[] = [];
  readonly #runs = new Set<string>();

  constructor(list: () => readonly string[]) {
    this.#list = list;
  }

  /** Returns the text with each secret in it replaced; the same text if none exists. Takes linear time. */
  redact(text: string): string {
    if (text.length < SHORTEST_SECRET) return text;
    this.#secrets ??= this.#learn();
    if (this.#secrets.length === 0) return text;
    const lower = lowerAscii(text);
    const found: Span[] = [];
    this.#findRuns(lower, found);
    for (const literal of this.#literals) findAll(lower, literal, found);
    this.#findMasked(lower, found);
    return found.length === 0 ? text : replaced(text, found);
  }

  #learn(): readonly string[] {
    const secrets = new Set<string>();
    const literals: string[] = [];
    for (const secret of this.#list()) {
      const plain = lowerAscii(secret.replace(/\s+/g, ' ').trim());
      if (plain.length < SHORTEST_SECRET || (plain.length < SHORTEST_WORD && /^[a-z]+$/.test(plain))) continue;
      secrets.add(plain);
      if (plain.length < RUN_CHARACTERS) literals.push(plain);
      for (const spelling of spellingsOf(secret)) this.#learnRuns(lowerAscii(spelling));
    }
    this.#literals = literals;
    return [...secrets];
  }

  #learnRuns(spelling: string): void {
    for (let at = 0; at + RUN_CHARACTERS <= spelling.length; at++) {
      this.#runs.add(spelling.slice(at, at + RUN_CHARACTERS));
    }
  }

  #findRuns(lower: string, found: Span[]): void {
    for (let at = 0; at + RUN_CHARACTERS <= lower.length; at++) {
      if (this.#runs.has(lower.slice(at, at + RUN_CHARACTERS))) found.push({ start: at, end: at + RUN_CHARACTERS });
    }
  }

  /** Finds `abc****xyz` for a secret with such a beginning or end. */
  #findMasked(lower: string, found: Span[]): void {
    for (const { index, 0: mask } of lower.matchAll(/[*•…]{2,}|…|\.{3,}/g)) {
      const before = lower.slice(Math.max(0, index - LONGEST_MASKED_SIDE), index);
      const end = index + mask.length;
      const after = lower.slice(end, end + LONGEST_MASKED_SIDE);
      for (const secret of this.#secrets ?? []) {
        const head = overlap(before, secret);
        const tail = overlap(secret, after);
        if (Math.max(head, tail) >= MASKED_CHARACTERS) found.push({ start: index - head, end: end + tail });
      }
    }
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the spellings in which upstreams quote a secret. */
function spellingsOf(secret: string): readonly string[] {
  const plain = secret.replace(/\s+/g, ' ').trim();
  const inJson = JSON.stringify(secret).slice(1, -1);
  if (secret.length > LONGEST_RESPELT) return [plain, inJson];
  const bytes = new TextEncoder().encode(secret);
  return [plain, inJson, encodeURIComponent(secret.toWellFormed()), hexOf(bytes), ...base64Of(bytes)];
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns base64 fragments that occur in any encoding of something that contains the bytes, one for each of the three alignments.
 */
function base64Of(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = btoa('\0'.repeat(shift) + Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    // The first and the last group have bits of the surrounding bytes.
    const own = text.slice(shift === 0 ? 0 : 4, (bytes.length + shift) % 3 === 0 ? undefined : -4);
    const forUrls = own.replaceAll('+', '-').replaceAll('/', '_');
    return own === forUrls ? [own] : [own, forUrls];
  });
}

/** Returns the length of the longest text that is a suffix of the first and a prefix of the second. */
function overlap(endOf: string, beginningOf: string): number {
  for (let length = Math.min(endOf.length, beginningOf.length, LONGEST_MASKED_SIDE); length > 0; length--) {
    if (endOf.endsWith(beginningOf.slice(0, length))) return length;
  }
  return 0;
}

function findAll(text: string, wanted: string, found: Span[]): void {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    found.push({ start: at, end: at + wanted.length });
  }
}

function replaced(text: string, found: readonly Span[]): string {
  let result = '';
  let end = 0;
  for (const span of found.toSorted((left, right) => left.start - right.start)) {
    if (span.start > end || end === 0) result += text.slice(end, Math.max(end, span.start)) + REDACTED;
    end = Math.max(end, span.end);
  }
  return result + text.slice(end);
}

/** Preserves every character's position, which JavaScript's own lower case does not. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
