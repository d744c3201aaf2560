/*
 * Reads the id and the finish reasons of an answer from its beginning and its end. Both are members at known places. Members of other objects
 * may have the same names: a model chooses the arguments of a tool call, and some formats have them as an object.
 */

interface AnswerFacts {
  readonly id: string | null;
  readonly finishReasons: readonly string[];
}

const ID = /^[\w.:-]{1,128}$/;
const REASON = /^[A-Za-z_]{1,40}$/;
const MOST_REASONS = 16;
/** Most events have none of these, and need not be parsed. */
const MEMBER = /"(?:finish_reason|finishReason|stop_reason)"\s*:\s*"/;

/** OpenAI's Responses have a status in place of a reason: in the last event of a stream, or at the beginning of a whole answer. */
const LAST_EVENT = /"type"\s*:\s*"response\.(completed|incomplete|failed)"/;
const WHOLE_STATUS = /^\s*\{[^{}]*"object"\s*:\s*"response"[^{}]*"status"\s*:\s*"(completed|incomplete|failed)"/;

/**
 * @param begin the beginning of an answer, in any format
 * @param end its end, or all of it if it is short
 */
export function readEnds(begin: string, end: string): AnswerFacts {
  const id = idIn(begin);
  const reasons = isStream(begin) ? reasonsOfEvents(end) : reasonsOfWhole(end);
  const status = (LAST_EVENT.exec(end) ?? WHOLE_STATUS.exec(begin))?.[1];
  if (status !== undefined && reasons.length === 0) reasons.push(status === 'completed' ? 'stop' : status);
  return { id, finishReasons: reasons.slice(0, MOST_REASONS) };
}

function isStream(begin: string): boolean {
  return /^\s*(?:data|event|id|:)/.test(begin);
}

/** A string, which may be cut off at the end of the text, or a bracket, a colon or a comma. */
const TOKEN = /"((?:[^"\\]|\\.)*)("|\\?$)|[{}[\]:,]/gs;
/** The places of the id: the first object, which may be in an array, or the response or the message in the first event of a stream. */
const ID_PLACE = /^\[?\{(?:\{response|\{message)?$/;

/** Returns the answer's own id; `null` if the text has none. */
function idIn(begin: string): string | null {
  const places: string[] = [];
  let name = '';
  let string = '';
  for (const [token, text, close] of begin.slice(Math.max(0, begin.search(/[{[]/))).matchAll(TOKEN)) {
    if (text !== undefined) {
      const isId = (name === 'id' || name === 'responseId') && close === '"' && ID_PLACE.test(places.join(''));
      if (isId && ID.test(text)) return text;
      string = text;
    } else if (token === ':') {
      name = string;
    } else {
      if (token === '{' || token === '[') places.push(token === '[' ? '[' : `{${name}`);
      if (token === '}' || token === ']') places.pop();
      name = '';
    }
  }
  return null;
}

interface Ended {
  readonly choices?: readonly { readonly finish_reason?: unknown }[];
  readonly candidates?: readonly { readonly finishReason?: unknown }[];
  readonly delta?: { readonly stop_reason?: unknown };
}

/** Reads the events that are complete: what is left of a cut one does not begin with `data:`. */
function reasonsOfEvents(end: string): string[] {
  return end.split(/\r?\n|\r/).flatMap((line) => {
    if (!line.startsWith('data:') || !MEMBER.test(line)) return [];
    try {
      const { choices = [], candidates = [], delta }: Ended = JSON.parse(line.slice(5));
      const all = [
        ...choices.map(({ finish_reason }) => finish_reason),
        ...candidates.map(({ finishReason }) => finishReason),
        delta?.stop_reason,
      ];
      return all.flatMap((reason) => (typeof reason === 'string' && REASON.test(reason) ? [reason.toLowerCase()] : []));
    } catch {
      return [];
    }
  });
}

/** The numbers of brackets around the member in a whole answer. */
const DEPTHS: ReadonlyMap<string, number> = new Map([
  ['finish_reason', 3],
  ['finishReason', 3],
  ['stop_reason', 1],
]);

/** Reads backwards from the last bracket, since the beginning may be missing. */
function reasonsOfWhole(end: string): string[] {
  const reasons: string[] = [];
  // Gemini's streams may be an array of answers.
  let depth = /\]\s*$/.test(end) ? -1 : 0;
  const least = depth + 1;
  let value: string | null = null;
  let isNamed = false;
  for (let at = end.length - 1; at >= 0; at--) {
    const character = end[at] ?? '';
    if (character === '"') {
      const from = beginOfString(end, at);
      if (from === null) break;
      const text = end.slice(from + 1, at);
      at = from;
      if (isNamed && value !== null && DEPTHS.get(text) === depth && REASON.test(value)) {
        reasons.unshift(value.toLowerCase());
      }
      value = isNamed ? null : text;
      isNamed = false;
    } else if (character === ':') {
      isNamed = value !== null;
    } else if (!/\s/.test(character)) {
      if (character === '}' || character === ']') depth++;
      if (character === '{' || character === '[') depth--;
      // A text that does not end with a bracket is no whole answer.
      if (depth < least) break;
      value = null;
      isNamed = false;
    }
  }
  return reasons;
}

/** Returns the place of the quote that opens a string; `null` if it is missing. */
function beginOfString(text: string, close: number): number | null {
  for (let at = text.lastIndexOf('"', close - 1); at >= 0 && at < close; at = text.lastIndexOf('"', at - 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at;
    if (at === 0) break;
  }
  return null;
}
