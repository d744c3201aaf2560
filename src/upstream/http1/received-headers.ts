import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';

/** The start of a header's line for each requested name; the names are few and constant. */
const starts = new Map<string, string>();
const MOST_STARTS = 256;

/**
 * The headers of a head, kept as text: an upstream sends a dozen, of which three or four are ever read. Parsing all of them into `Headers`
 * cost 4 µs.
 */
export class ReceivedHeaders implements AnswerHeaders {
  private readonly lower: string;

  /** `text` contains valid header lines, each after a line break; what precedes the first break does not matter. */
  constructor(private readonly text: string) {
    this.lower = text.toLowerCase();
  }

  get(name: string): string | null {
    const start = startOf(name);
    const at = this.lower.indexOf(start);
    if (at < 0) return null;
    const from = at + start.length;
    return this.lower.indexOf(start, from) < 0 ? this.valueFrom(from) : this.all(name).join(', ');
  }

  /** Returns all values of a header, whose name is given in lower case. */
  all(name: string): readonly string[] {
    const start = startOf(name);
    const values: string[] = [];
    for (let at = this.lower.indexOf(start); at >= 0; at = this.lower.indexOf(start, at + start.length)) {
      values.push(this.valueFrom(at + start.length));
    }
    return values;
  }

  get count(): number {
    let count = 0;
    for (let at = this.text.indexOf('\r\n'); at >= 0; at = this.text.indexOf('\r\n', at + 2)) count++;
    return count;
  }

  private valueFrom(at: number): string {
    const { text } = this;
    const end = text.indexOf('\r\n', at);
    let from = at;
    let to = end < 0 ? text.length : end;
    while (from < to && isSpace(text.charCodeAt(from))) from++;
    while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
    return text.slice(from, to);
  }
}

function startOf(name: string): string {
  let start = starts.get(name);
  if (start === undefined) {
    start = `\r\n${name}:`;
    if (starts.size >= MOST_STARTS) starts.clear();
    starts.set(name, start);
  }
  return start;
}

function isSpace(unit: number): boolean {
  return unit === 32 || unit === 9;
}
