import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';

const SPACE_AROUND = /^[\t ]+|[\t ]+$/g;

/**
 * The headers of a head, as its text: of a dozen that an upstream sends, three or four are ever asked for. Taking each apart, and into
 * a `Headers`, cost 4 µs.
 */
export class ReceivedHeaders implements AnswerHeaders {
  private readonly lower: string;

  /** `text` is each header after a line break, in valid lines. */
  constructor(private readonly text: string) {
    this.lower = text.toLowerCase();
  }

  get(name: string): string | null {
    const values = this.all(name);
    return values.length === 0 ? null : values.join(', ');
  }

  /** The values of each header of the name, which is in lower case. */
  all(name: string): readonly string[] {
    const start = `\r\n${name}:`;
    let at = this.lower.indexOf(start);
    if (at < 0) return NONE;
    const values: string[] = [];
    for (; at >= 0; at = this.lower.indexOf(start, at + start.length)) {
      const from = at + start.length;
      const end = this.text.indexOf('\r\n', from);
      values.push(this.text.slice(from, end < 0 ? undefined : end).replace(SPACE_AROUND, ''));
    }
    return values;
  }

  get count(): number {
    let count = 0;
    for (let at = this.text.indexOf('\r\n'); at >= 0; at = this.text.indexOf('\r\n', at + 2)) count++;
    return count;
  }
}

const NONE: readonly string[] = [];
