const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A text with its escapes decoded, with the place of each unit in the original, and of its end. */
export interface UnescapedJson {
  readonly text: string;
  readonly places: readonly number[];
}

/** Decodes the escapes in any part of a JSON text; `null` if it has none. */
export function unescapedJson(json: string): UnescapedJson | null {
  if (!json.includes('\\')) return null;
  const places: number[] = [];
  let text = '';
  let from = 0;
  const copy = (end: number) => {
    for (let at = from; at < end; at++) places.push(at);
    text += json.slice(from, end);
  };
  for (const match of json.matchAll(ESCAPE)) {
    const [whole, hex, letter = ''] = match;
    copy(match.index);
    text += hex === undefined ? (SHORT[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16));
    places.push(match.index);
    from = match.index + whole.length;
  }
  copy(json.length);
  places.push(json.length);
  return { text, places };
}
