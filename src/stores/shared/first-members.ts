const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
/** The length of `"a":1,`. */
const SHORTEST_MEMBER = 6;

/**
 * Returns the JSON text of an object with only its first `most` members. The rest is not parsed or scanned, so it does not add to the time.
 */
export function firstMembers(json: string, most: number): string {
  if (json.length < most * SHORTEST_MEMBER) return json;
  let depth = 0;
  let members = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(json, at);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    else if (code === COMMA && depth === 1) {
      members += 1;
      if (members === most) return `${json.slice(0, at)}}`;
    }
  }
  return json;
}

function closingQuote(json: string, openedAt: number): number {
  for (let at = openedAt + 1; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return json.length;
}
