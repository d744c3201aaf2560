import type { Citation } from '../../../../domain/exchange/part.ts';
import type { FoundPage } from '../../../../domain/exchange/web-search.ts';

/** A piece of text without marks, or a source for the text before it. */
export type MarkedPiece = { readonly text: string } | { readonly citation: Citation };

/** The mark by which a model cites results: `[[cite:1]]`, `[[cite:2,5]]`. The word keeps it apart from code such as `a[[1]]`. */
const MARK = / {0,4}\[\[cite:([\d, ]{1,48})\]\]/g;
/** Matches the end of a text that may be the beginning of a mark; spaces before a mark belong to it. */
const BEGUN = / {0,4}(?:\[(?:\[(?:c|ci|cit|cite|cite:[\d, ]{0,48}\]?)?)?)?$/;
/** The end of a sentence or a line, with what follows it. A line needs its last break only: more would take quadratic time. */
const BOUNDARY = /(?:[.!?…]["'”’)\]]*\s+|[。！？]|\n)(?=\S)/g;
/** A cited span is no longer than this. */
const MOST_SPAN = 4_000;
/** The most characters of a source that a citation quotes, as in Anthropic's format. */
const QUOTED = 150;

/**
 * Turns a model's marks into citations of the sentences before them. Text is held back only while it may be the beginning of a mark.
 * Offsets count from the beginning of the block of text.
 */
export class CitationMarks {
  private held = '';
  private length = 0;
  /** The text that the next mark cites; it ends at `length`. */
  private cited = '';
  private isCited = false;

  /** `pages` are the sources so far: number 1 is the first. `quotes`: citations apply to whole blocks and quote their source. */
  constructor(
    private readonly pages: readonly FoundPage[],
    private readonly quotes: boolean,
  ) {}

  push(text: string): readonly MarkedPiece[] {
    const all = this.held + text;
    const at = BEGUN.exec(all)?.index ?? all.length;
    this.held = all.slice(at);
    return this.read(all.slice(0, at));
  }

  /** Ends the block. */
  end(): readonly MarkedPiece[] {
    const rest = this.read(this.held);
    this.held = '';
    this.length = 0;
    this.cited = '';
    this.isCited = false;
    return rest;
  }

  private read(text: string): MarkedPiece[] {
    const pieces: MarkedPiece[] = [];
    let from = 0;
    for (const mark of text.matchAll(MARK)) {
      const sources = this.sourcesOf(mark[1] ?? '');
      if (sources.length === 0) continue;
      this.say(text.slice(from, mark.index), pieces);
      from = mark.index + mark[0].length;
      for (const page of sources) pieces.push({ citation: this.citationOf(page) });
      this.isCited = true;
    }
    this.say(text.slice(from), pieces);
    return pieces;
  }

  /** Returns the sources of a mark; none if it names a number that no result has, as text that only looks like a mark. */
  private sourcesOf(numbers: string): readonly FoundPage[] {
    const pages = numbers.split(',').map((number) => this.pages[Number(number.trim()) - 1]);
    return pages.every((page) => page !== undefined) ? [...new Set(pages)] : [];
  }

  private say(text: string, pieces: MarkedPiece[]): void {
    if (text === '') return;
    pieces.push({ text });
    this.length += text.length;
    const cited = this.isCited ? text.trimStart() : this.cited + text;
    this.isCited = false;
    const start = [...cited.matchAll(BOUNDARY)].at(-1);
    this.cited = (start === undefined ? cited : cited.slice(start.index + start[0].length)).slice(-MOST_SPAN);
  }

  private citationOf({ url, title, text }: FoundPage): Citation {
    const source = { url, title, documentIndex: null, raw: null };
    if (this.quotes)
      return { ...source, citedText: text === '' ? null : text.slice(0, QUOTED), start: null, end: null };
    return { ...source, citedText: null, start: this.length - this.cited.length, end: this.length };
  }
}
