import type { Tool } from './request.ts';

/** A place in the prompt that asks for a tool. */
export interface Mention {
  readonly tool: Tool;
  /** The round of calls in which the tool is wanted: tools after a `then` wait for those before it. */
  readonly round: number;
  /** The text in parentheses or braces after the name; `null` if none exists. */
  readonly given: string | null;
}

/** At most this many calls result from one prompt. */
const MOST_MENTIONS = 16;
const WORD = /[\w-]+(?:[.:/][\w-]+)*/g;
const BEHIND = /^`?(?:\s{0,9}tool\b)?(?:\s{0,9}with\b)?(?:\s{0,9}(?:arguments|input)\b)?:?\s{0,9}([({])/i;
const THEN = /\bthen\b/i;

/**
 * Returns where the prompt asks for tools, in order. An unmistakable name (`get_weather`, `WebSearch`) is enough; one that is
 * also a word (`read`, `bash`) has to be marked as a name: `read(…)`, in backticks, "the read tool".
 */
export function mentionsOf(tools: readonly Tool[], prompt: string): Mention[] {
  const byName = new Map(tools.toReversed().map((tool) => [tool.name.toLowerCase(), tool]));
  const mentions: Mention[] = [];
  let round = 0;
  let from = 0;
  for (const { tool, start, end } of namesIn(prompt, byName)) {
    if (start < from) continue;
    if (mentions.length === MOST_MENTIONS) break;
    if (!isName(tool.name) && !isWrittenAsName(prompt, start, end)) continue;
    const given = givenBehind(prompt, end);
    if (mentions.length > 0 && THEN.test(prompt.slice(from, start))) round += 1;
    from = given?.end ?? end;
    mentions.push({ tool, round, given: given?.text ?? null });
  }
  return withoutRepeats(mentions);
}

const LOOKUP = /^(?:find|get|list|lookup|search)_(?:\w+_)?([a-z]{3,40})$/;

/** Returns whether the tool, by its name, only looks something up that the prompt mentions: `get_weather` and "the weather". */
export function isAboutLookup({ name }: Tool, prompt: string): boolean {
  const [, subject] = LOOKUP.exec(name) ?? [];
  return subject !== undefined && new RegExp(`\\b${subject}\\b`, 'i').test(prompt);
}

interface Found {
  readonly tool: Tool;
  readonly start: number;
  readonly end: number;
}

/** Yields whole words of the prompt, or the pieces of a word with dots, colons or slashes. */
function* namesIn(prompt: string, byName: ReadonlyMap<string, Tool>): Generator<Found> {
  for (const { 0: word, index } of prompt.matchAll(WORD)) {
    const whole = byName.get(word.toLowerCase());
    if (whole !== undefined) {
      yield { tool: whole, start: index, end: index + word.length };
      continue;
    }
    let start = index;
    for (const piece of word.split(/[.:/]/)) {
      const tool = byName.get(piece.toLowerCase());
      if (tool !== undefined) yield { tool, start, end: start + piece.length };
      start += piece.length + 1;
    }
  }
}

/** Returns whether it can only be a name: it contains a sign, a digit, or an inner capital. */
function isName(name: string): boolean {
  return /[^a-z]/i.test(name) || /[a-z][A-Z]/.test(name);
}

function isWrittenAsName(prompt: string, start: number, end: number): boolean {
  const before = prompt.slice(Math.max(0, start - 20), start);
  const behind = prompt.slice(end, end + 20);
  if (behind.startsWith('(') || (before.endsWith('`') && behind.startsWith('`'))) return true;
  return /^`?\s+tool\b/i.test(behind) || /\btool\s+`?$/i.test(before);
}

function givenBehind(prompt: string, end: number): { readonly text: string; readonly end: number } | null {
  const head = BEHIND.exec(prompt.slice(end, end + 60));
  const [opener] = head?.[1] ?? '';
  if (head === null || opener === undefined) return null;
  const start = end + head[0].length;
  // A parenthesis belongs to the call only directly after the name; further on it is a remark.
  if (opener === '(' && head[0].replace('`', '').length > 1) return null;
  const close = closing(prompt, start - 1);
  if (close === null) return null;
  const text = opener === '(' ? prompt.slice(start, close) : prompt.slice(start - 1, close + 1);
  return { text: text.trim(), end: close + 1 };
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

/** Returns where the bracket at `start` closes, ignoring brackets within double quotes. */
function closing(text: string, start: number): number | null {
  const opener = text[start] ?? '';
  const closer = PAIRS[opener];
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === opener) depth += 1;
    else if (character === closer) depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}

/** Drops repeated mentions of a tool within a round, unless each has different input. */
function withoutRepeats(mentions: readonly Mention[]): Mention[] {
  return mentions.filter((mention, index) => {
    const isSame = (other: Mention) => other.tool === mention.tool && other.round === mention.round;
    if (mention.given === null) {
      const twin = mentions.findIndex((other) => isSame(other) && other.given !== null);
      if (twin >= 0) return false;
    }
    return mentions.findIndex((other) => isSame(other) && other.given === mention.given) === index;
  });
}
