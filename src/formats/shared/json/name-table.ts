import { equalAt } from './json-scan.ts';

/*
 * Tells from a name's bytes, while a body is scanned, whether it could be another spelling of a format's own names. Hardly any
 * body has such a name, so hardly any has to be walked to look for them.
 */

/** The name is one of a format's own that has two spellings: in the format's own spelling, or in the other one. */
export const OWN_SPELLING = 1;
export const OTHER_SPELLING = 2;
/** The name may be a variant; its position decides. */
export const DOUBTFUL = 4;

const UNDERSCORE = 0x5f;
const utf8 = new TextEncoder();

interface Known {
  readonly bytes: Uint8Array;
  readonly hash: number;
  spelling: number;
}

/** Adds the next byte of an unescaped name to its hash. */
export function hashOn(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

export function hashOf(text: string): number {
  return utf8.encode(text).reduce(hashOn, 0);
}

export class NameTable {
  private readonly slots: (Known | undefined)[];
  private readonly folds = new Set<number>();

  /** `names` maps each own name to its other spelling, or to itself if it has none. */
  constructor(
    names: ReadonlyMap<string, string>,
    /** If `false`, only names with a capital letter or white space are examined, because no own name has either. */
    readonly looksAtAll: boolean,
  ) {
    let size = 16;
    while (size < names.size * 8) size *= 2;
    this.slots = Array.from({ length: size }, () => undefined);
    for (const [own, other] of names) {
      const isAmbiguous = this.folds.has(foldOf(own));
      this.folds.add(foldOf(own));
      if (own === other) this.add(own, isAmbiguous ? DOUBTFUL : 0);
      else {
        this.add(own, isAmbiguous ? DOUBTFUL : OWN_SPELLING);
        this.add(other, isAmbiguous ? DOUBTFUL : OTHER_SPELLING);
      }
    }
  }

  private add(name: string, spelling: number): void {
    const hash = hashOf(name);
    const bytes = utf8.encode(name);
    const slot = this.slotOf(bytes, 0, bytes.length, hash);
    const known = this.slots[slot];
    if (known === undefined) this.slots[slot] = { bytes, hash, spelling };
    else known.spelling = DOUBTFUL;
  }

  private slotOf(bytes: Uint8Array, start: number, length: number, hash: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const known = slots[slot];
      if (known === undefined) return slot;
      if (known.hash === hash && known.bytes.length === length && equalAt(bytes, start, known.bytes)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  /** Classifies the ASCII name with this hash in `[start, end)`, without quotes; 0 if it cannot be taken for an own name. */
  look(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const known = this.slots[this.slotOf(bytes, start, end - start, hash)];
    if (known !== undefined) return known.spelling;
    let fold = 0;
    for (let at = start; at < end; at++) fold = foldOn(fold, bytes[at] ?? 0);
    return this.folds.has(fold) ? DOUBTFUL : 0;
  }
}

/** Folds a name byte by byte: ignores case, underscores, white space and control characters, as `foldedName` does for ASCII. */
function foldOn(fold: number, byte: number): number {
  if (byte === UNDERSCORE || byte <= 0x20 || byte === 0x7f) return fold;
  return hashOn(fold, byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);
}

function foldOf(name: string): number {
  return utf8.encode(name).reduce(foldOn, 0);
}
