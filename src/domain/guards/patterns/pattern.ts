import { Automaton, DEAD } from './automaton.ts';
import { parsePattern } from './parse-pattern.ts';
import { compilePattern } from './program.ts';

/** A match as offsets into the text; the end is exclusive. Never empty. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** How far a match is extended past the first place where it could end. */
const LONGEST_EXTENSION = 1_000;

/**
 * Finds the matches of a pattern: from left to right, each the longest from its place on. The time is linear in the length of the text, apart
 * from at most `LONGEST_EXTENSION` units for each match.
 */
export class Pattern {
  /** Finds the places where a match begins, read backwards. */
  private readonly starts: Automaton;
  private readonly whole: Automaton;

  /** Throws `PatternError`. */
  constructor(pattern: string, options: { readonly ignoreCase: boolean }) {
    const node = parsePattern(pattern, options);
    this.starts = new Automaton(compilePattern(node, 'backward'), false);
    this.whole = new Automaton(compilePattern(node, 'forward'), true);
  }

  /** Returns at most `most` matches. */
  matches(text: string, most: number): readonly Match[] {
    const starts = this.startsIn(text);
    if (starts === null) return [];
    const found: Match[] = [];
    let from = 0;
    while (found.length < most) {
      const start = starts.indexOf(1, from);
      if (start < 0) break;
      const end = this.endOf(text, start);
      if (end > start) found.push({ start, end });
      from = Math.max(end, start + 1);
    }
    return found;
  }

  /** Returns a 1 for each place where a match, possibly an empty one, begins; `null` if there is none. */
  private startsIn(text: string): Uint8Array | null {
    let starts: Uint8Array | null = null;
    let state = this.starts.begin(null);
    for (let at = text.length; at >= 0; at--) {
      const unit = at > 0 ? text.charCodeAt(at - 1) : null;
      if (at < text.length && this.starts.matchesBefore(state, unit)) {
        starts ??= new Uint8Array(text.length);
        starts[at] = 1;
      }
      if (unit !== null) state = this.starts.after(state, unit);
    }
    return starts;
  }

  /** Returns the end of the longest match from `start` on, which exists. */
  private endOf(text: string, start: number): number {
    let state = this.whole.begin(start > 0 ? text.charCodeAt(start - 1) : null);
    let end = start;
    let last = text.length;
    for (let at = start; at <= last; at++) {
      const unit = at < text.length ? text.charCodeAt(at) : null;
      if (this.whole.matchesBefore(state, unit) && at > start) {
        if (end === start) last = Math.min(last, at + LONGEST_EXTENSION);
        end = at;
      }
      if (unit === null) break;
      state = this.whole.after(state, unit);
      if (state === DEAD) break;
    }
    return end;
  }
}
