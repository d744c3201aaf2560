/** One member of the outermost object of a JSON text: the positions of its key and value. */
export interface TextMember {
  readonly key: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const WHITE_SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  if (pattern.exec(text) === null) throw new Error(`unexpected JSON at ${at}: ${text.slice(at, at + 40)}`);
  return pattern.lastIndex;
}

function skipSpace(text: string, at: number): number {
  return matchEnd(WHITE_SPACE, text, at);
}

function valueEnd(text: string, start: number): number {
  if (text[start] === '"') return matchEnd(STRING, text, start);
  if (text[start] !== '{' && text[start] !== '[') return matchEnd(SCALAR, text, start);
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = matchEnd(STRING, text, at);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    at++;
    if (depth === 0) return at;
  }
  throw new Error(`JSON ends within a value: ${text.slice(start, start + 40)}`);
}

/** Returns the members of the outermost object in order, including duplicates, which parsing would lose. */
export function textMembers(text: string): readonly TextMember[] {
  const members: TextMember[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text[at] !== '}') {
    const keyStart = at;
    const keyEnd = matchEnd(STRING, text, keyStart);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, valueStart);
    members.push({ key: JSON.parse(text.slice(keyStart, keyEnd)), keyStart, valueStart, valueEnd: end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return members;
}

/** Returns the positions of the items of an array. */
export function textItems(text: string): readonly { readonly start: number; readonly end: number }[] {
  const items: { start: number; end: number }[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text[at] !== ']') {
    const end = valueEnd(text, at);
    items.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

export function findMember(text: string, key: string): TextMember | undefined {
  return textMembers(text).find((member) => member.key === key);
}

/** Replaces one member's value, keeping every other byte; returns the text unchanged if there is no such member. */
export function withValue(text: string, key: string, value: string): string {
  const member = findMember(text, key);
  return member === undefined ? text : text.slice(0, member.valueStart) + value + text.slice(member.valueEnd);
}

/** Removes one member and its comma; returns the text unchanged if there is no such member. */
export function withoutMember(text: string, key: string): string {
  const members = textMembers(text);
  const index = members.findIndex((member) => member.key === key);
  const member = members[index];
  if (member === undefined) return text;
  const previous = members[index - 1];
  const next = members[index + 1];
  if (previous !== undefined) {
    const comma = skipSpace(text, previous.valueEnd);
    return text.slice(0, comma) + text.slice(member.valueEnd);
  }
  return text.slice(0, member.keyStart) + text.slice(next?.keyStart ?? member.valueEnd);
}

/** Changes the value at a path, keeping every other byte; returns the text unchanged if the path does not exist. */
export function withChangeAt(
  text: string,
  [step, ...rest]: readonly (string | number)[],
  change: (value: string) => string,
): string {
  if (step === undefined) return change(text);
  const place = typeof step === 'number' ? textItems(text)[step] : placeOfValue(text, step);
  if (place === undefined) return text;
  const { start, end } = place;
  return text.slice(0, start) + withChangeAt(text.slice(start, end), rest, change) + text.slice(end);
}

function placeOfValue(text: string, key: string): { readonly start: number; readonly end: number } | undefined {
  const member = findMember(text, key);
  return member === undefined ? undefined : { start: member.valueStart, end: member.valueEnd };
}
