import type { Random } from './random.ts';

const utf8 = new TextEncoder();

const INSERTIONS: readonly Uint8Array[] = [
  // Invalid UTF-8: a lone continuation byte, an overlong form, an encoded surrogate, half a character.
  new Uint8Array([0x80]),
  new Uint8Array([0xc0, 0xaf]),
  new Uint8Array([0xed, 0xa0, 0x80]),
  new Uint8Array([0xf0, 0x9f]),
  new Uint8Array([0x00]),
  ...['\ufeff', '\r\n', '\r', '\n\n', '{', '}', '[', ']', '"', '\\', ',', ':', 'data: ', ': comment\n', '[DONE]'].map(
    (text) => utf8.encode(text),
  ),
];

/** Returns the bytes truncated, or with a few changed, duplicated or inserted. */
export function mutatedBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  switch (random.below(6)) {
    case 0:
    case 1:
      return bytes.slice(0, at);
    case 2: {
      const changed = bytes.slice();
      for (let count = random.below(4); count >= 0; count--) changed[random.below(bytes.length)] = random.below(256);
      return changed;
    }
    case 3:
      return joined([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + random.below(40)))]);
    case 4:
      return joined([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - random.below(200)))]);
    default:
      return joined([bytes.subarray(0, at), random.pick(INSERTIONS), bytes.subarray(at)]);
  }
}

/** Returns the same bytes in pieces of random sizes, some of them empty. */
export function pieces(bytes: Uint8Array, random: Random): readonly Uint8Array[] {
  const largest = random.pick([1, 7, 100, 5_000, 1_000_000]);
  // Single bytes are slow, and the beginning shows as much as the rest.
  const smallFor = largest === 1 ? 3_000 : Number.POSITIVE_INFINITY;
  const found: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const size = from < smallFor ? random.below(largest + 1) : 5_000;
    found.push(bytes.slice(from, from + size));
    from += size;
  }
  return found;
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
