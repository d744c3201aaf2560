/** A power of two, and 2.6 times the number of tokens, so that most are found at the first probe. */
const SLOTS = 2 ** 19;
const FIRST_HASH = 0x811c9dc5;
const HASH_PRIME = 0x01000193;

const LF = 0x0a;
const SPACE = 0x20;
/** The values of base64 characters; `=` has none, which is correct because only whole bytes are decoded. */
const SEXTETS = sextets();

/**
 * The byte sequences of an encoding, by rank: a lower rank was learned earlier. Built from the lines of a `.tiktoken` file, each
 * with the bytes in base64 and the rank, which counts up from 0. Flat arrays of 4 MB; a `Map` of 200,000 strings takes ten times
 * the time and memory.
 */
export class TokenTable {
  /** All tokens, concatenated. */
  private readonly bytes: Uint8Array;
  /** The start of each rank's token in `bytes`, plus the end of the last one. */
  private readonly starts: Uint32Array;
  /** A hash table: the rank plus one, or 0 for an empty slot. */
  private readonly slots = new Int32Array(SLOTS);
  private longest = 0;

  constructor(file: Uint8Array) {
    this.bytes = new Uint8Array(file.length);
    this.starts = new Uint32Array(SLOTS);
    let rank = 0;
    let written = 0;
    for (let at = 0; at < file.length; at = file.indexOf(LF, at) + 1 || file.length) {
      const end = file.indexOf(SPACE, at);
      written = this.decode(file, { from: at, to: end, into: written });
      this.add(rank, written);
      rank += 1;
    }
  }

  /** Returns the rank of `text[from..to)`; -1 if it is not a token. */
  rank(text: Uint8Array, from: number, to: number): number {
    if (to - from > this.longest) return -1;
    for (let slot = slotOf(text, from, to); ; slot = (slot + 1) % SLOTS) {
      const rank = (this.slots[slot] ?? 0) - 1;
      if (rank === -1 || this.isAt(rank, text, from, to)) return rank;
    }
  }

  private add(rank: number, end: number): void {
    const start = this.starts[rank] ?? 0;
    this.starts[rank + 1] = end;
    this.longest = Math.max(this.longest, end - start);
    let slot = slotOf(this.bytes, start, end);
    while (this.slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    this.slots[slot] = rank + 1;
  }

  private isAt(rank: number, text: Uint8Array, from: number, to: number): boolean {
    const start = this.starts[rank] ?? 0;
    if ((this.starts[rank + 1] ?? 0) - start !== to - from) return false;
    for (let at = from; at < to; at++) if (text[at] !== this.bytes[start + at - from]) return false;
    return true;
  }

  /** Returns where the decoded bytes end. */
  private decode(file: Uint8Array, { from, to, into }: { from: number; to: number; into: number }): number {
    let bits = 0;
    let known = 0;
    let end = into;
    for (let at = from; at < to; at++) {
      const sextet = SEXTETS[file[at] ?? 0] ?? -1;
      if (sextet === -1) break;
      bits = ((bits << 6) | sextet) & 0xffff;
      known += 6;
      if (known >= 8) {
        known -= 8;
        this.bytes[end] = bits >> known;
        end += 1;
      }
    }
    return end;
  }
}

function slotOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = FIRST_HASH;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), HASH_PRIME);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

function sextets(): Int8Array {
  const values = new Int8Array(256).fill(-1);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (const [value, character] of [...alphabet].entries()) values[character.charCodeAt(0)] = value;
  return values;
}
