import type { Finding } from './guard-rules.ts';
import { maskingFindings } from './guard-rules.ts';

/** More different values of one request are not masked: the request is refused. */
export const MOST_MASKED_VALUES = 20_000;

/** The longest placeholder: a label of 40 characters, a tag and a number. */
export const LONGEST_PLACEHOLDER = 64;

/**
 * The placeholders of one request, such as `[EMAIL_1]`. The same value has the same placeholder within the request; they are numbered in the
 * order of the document, so that a conversation that is sent again has the same ones.
 */
export class Masks {
  private readonly byValue = new Map<string, string>();
  private readonly byPlaceholder = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private longest = 0;

  /**
   * @param tag distinguishes the placeholders from those that the conversation has already: of an earlier request whose answer is stored, or in
   *   the words of the client; empty if it has none
   */
  constructor(private readonly tag: string = '') {}

  get isEmpty(): boolean {
    return this.byPlaceholder.size === 0;
  }

  get size(): number {
    return this.byPlaceholder.size;
  }

  /** Returns the placeholder of a value that this rule has found. */
  placeholderOf(rule: string, value: string): string {
    const label = labelOf(rule);
    const key = `${label} ${value}`;
    const known = this.byValue.get(key);
    if (known !== undefined) return known;
    const number = (this.counts.get(label) ?? 0) + 1;
    this.counts.set(label, number);
    const placeholder = `[${label}_${this.tag}${number}]`;
    this.byValue.set(key, placeholder);
    this.byPlaceholder.set(placeholder, value);
    this.longest = Math.max(this.longest, placeholder.length);
    return placeholder;
  }

  /** Returns the text with placeholders in place of what masks. */
  masked(text: string, findings: readonly Finding[]): string {
    let masked = '';
    let from = 0;
    for (const { start, end, rule } of maskingFindings(findings)) {
      masked += text.slice(from, start) + this.placeholderOf(rule, text.slice(start, end));
      from = end;
    }
    return masked + text.slice(from);
  }

  /** Returns the text with the values in place of their placeholders. `escaped` is applied to each value. */
  restored(text: string, escaped: (value: string) => string = sameText): string {
    let restored = '';
    let from = 0;
    for (let at = text.indexOf('['); at >= 0; at = text.indexOf('[', at + 1)) {
      const end = text.indexOf(']', at);
      if (end < 0) break;
      const value = end - at < this.longest ? this.byPlaceholder.get(text.slice(at, end + 1)) : undefined;
      if (value === undefined) continue;
      restored += text.slice(from, at) + escaped(value);
      from = end + 1;
      at = end;
    }
    return from === 0 ? text : restored + text.slice(from);
  }

  /** Returns where the beginning of a placeholder starts that the text ends with; its length if there is none. */
  openAt(text: string): number {
    const at = text.lastIndexOf('[');
    if (at < 0 || text.length - at >= this.longest || text.indexOf(']', at) >= 0) return text.length;
    const open = text.slice(at);
    for (const [label, count] of this.counts) {
      const beginning = `[${label}_${this.tag}`;
      if (beginning.startsWith(open)) return at;
      const number = open.startsWith(beginning) ? open.slice(beginning.length) : '';
      if (/^[1-9]\d*$/.test(number) && Number(number) <= count) return at;
    }
    return text.length;
  }
}

/** Returns the label of a rule in placeholders: upper-case letters, digits and underscores. */
export function labelOf(rule: string): string {
  return rule
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')
    .slice(0, 40);
}

function sameText(value: string): string {
  return value;
}
