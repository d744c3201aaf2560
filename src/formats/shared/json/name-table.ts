import { equalAt } from './json-scan.ts';

/*
 * Tells from the bytes of a name, while a body is scanned, whether it could be another spelling of a format's own names. Nearly no
 * body has such a name, so nearly none has to be walked through for them.
 */

/** It is one of a format's own names, which can be spelled otherwise, too: in the format's own spelling, or in the other one. */
export const OWN_SPELLING = 1;
export const OTHER_SPELLING = 2;
/** It may be a variant; where it stands decides. */
export const DOUBTFUL = 4;

const UNDERSCORE = 0x5f;
const utf8 = new TextEncoder();

interface Known {
  readonly bytes: Uint8Array;
  readonly hash: number;
  spelling: number;
}

/** Of the bytes of a name that has no escape, one after the other. */
export function hashOn(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

export function hashOf(text: string): number {
  return utf8.encode(text).reduce(hashOn, 0);
}

export class NameTable {
  private readonly slots: (Known | undefined)[];
  private readonly folds = new Set<number>();

  /** `names`: each own name, with its other spelling where it has one that differs, else with itself. */
  constructor(
    names: ReadonlyMap<string, string>,
    /** Without it only names with a capital letter or white space are looked at: no own one has any. */
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

  /** What the ASCII name of this hash in `[start, end)` is, quotes aside; 0 for one that nobody could take for an own one. */
  look(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const known = this.slots[this.slotOf(bytes, start, end - start, hash)];
    if (known !== undefined) return known.spelling;
    let fold = 0;
    for (let at = start; at < end; at++) fold = foldOn(fold, bytes[at] ?? 0);
    return this.folds.has(fold) ? DOUBTFUL : 0;
  }
}

/** Without case, underscores, white space and control characters, as `foldedName` folds the names of ASCII. */
function foldOn(fold: number, byte: number): number {
  if (byte === UNDERSCORE || byte <= 0x20 || byte === 0x7f) return fold;
  return hashOn(fold, byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte);
}

function foldOf(name: string): number {
  return utf8.encode(name).reduce(foldOn, 0);
}
