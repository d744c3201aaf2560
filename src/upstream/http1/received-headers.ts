import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';

/** The start of a header's line for each name that is asked for: those are a few that stand in the code. */
const starts = new Map<string, string>();
const MOST_STARTS = 256;

/**
 * The headers of a head, as its text: of a dozen that an upstream sends, three or four are ever asked for. Taking each apart, and into
 * a `Headers`, cost 4 µs.
 */
export class ReceivedHeaders implements AnswerHeaders {
  private readonly lower: string;

  /** In `text` each header stands after a line break, in valid lines; what is before the first break does not matter. */
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

  /** The values of each header of the name, which is in lower case. */
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
