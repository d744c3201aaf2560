/** A header in which clients send their key; each of the four formats has one that its own SDKs use. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'x-goog-api-key' | 'api-key';

/** The order in which the other headers are read. */
const ALL: readonly KeyHeader[] = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/**
 * Returns a reader for a request's key. `own` is the header of the format's own SDKs and takes precedence; `api-key` is Azure's.
 * If several headers hold different keys, the first one counts, whether it is valid or not.
 */
export function keyReader(own: KeyHeader): (headers: Headers) => string | null {
  const order = [own, ...ALL.filter((name) => name !== own)];
  return (headers) => {
    for (const name of order) {
      const value = headers.get(name);
      if (value === null) continue;
      const key = name === 'authorization' ? authorizationKey(value) : value.trim();
      if (key) return key;
    }
    return null;
  };
}

/** Returns the text after `Bearer`, in any case, or the whole value if it is one word; nothing for another scheme (`Basic …`). */
function authorizationKey(header: string): string | null {
  if (header.length > 7 && header.startsWith('Bearer ') && header.indexOf(' ', 7) < 0) return header.slice(7);
  const words = header.trim().split(/\s+/, 3);
  const [first = '', second] = words;
  const isBearer = first.length === 6 && first.toLowerCase() === 'bearer';
  if (words.length > 2) return null;
  if (second !== undefined) return isBearer ? second : null;
  return isBearer ? null : first;
}
