import type { TermsRule } from './guard.ts';
import { normalText } from './normal-text.ts';
import type { Match } from './patterns/pattern.ts';

interface Node {
  readonly next: Map<number, Node>;
  /** The node of the longest suffix that is a beginning of a term. */
  suffix: Node | null;
  /** The length of the longest term that ends here; 0 for none. */
  length: number;
}

/** Finds all terms of a rule in one pass over a text, however many terms there are (Aho and Corasick, 1975). */
export class BlockedTerms {
  private readonly root: Node = nodeOf();

  constructor(private readonly rule: Pick<TermsRule, 'terms' | 'withinWords' | 'leetspeak'>) {
    for (const term of rule.terms) this.add(normalText(term, rule).text.trim());
    this.link();
  }

  /** Returns at most `most` matches, which may overlap. */
  matches(original: string, most: number): readonly Match[] {
    const { text, places } = normalText(original, this.rule);
    const found: Match[] = [];
    let node = this.root;
    for (let at = 0; at < text.length && found.length < most; at++) {
      node = this.after(node, text.charCodeAt(at));
      for (let end: Node | null = node; end !== null; end = end.suffix) {
        if (end.length === 0) continue;
        const start = at + 1 - end.length;
        if (!this.rule.withinWords && (isWord(text, start - 1, start) || isWord(text, at, at + 1))) continue;
        found.push({ start: places[start] ?? 0, end: places[at + 1] ?? original.length });
        break;
      }
    }
    return found;
  }

  private add(term: string): void {
    if (term === '') return;
    let node = this.root;
    for (let at = 0; at < term.length; at++) {
      const unit = term.charCodeAt(at);
      let next = node.next.get(unit);
      if (next === undefined) {
        next = nodeOf();
        node.next.set(unit, next);
      }
      node = next;
    }
    node.length = term.length;
  }

  private link(): void {
    const open: Node[] = [];
    for (const child of this.root.next.values()) {
      child.suffix = this.root;
      open.push(child);
    }
    for (let index = 0; index < open.length; index++) {
      const node = open[index] as Node;
      for (const [unit, child] of node.next) {
        child.suffix = this.after(node.suffix ?? this.root, unit);
        open.push(child);
      }
    }
  }

  private after(from: Node, unit: number): Node {
    for (let node: Node | null = from; node !== null; node = node.suffix) {
      const next = node.next.get(unit);
      if (next !== undefined) return next;
    }
    return this.root;
  }
}

function nodeOf(): Node {
  return { next: new Map(), suffix: null, length: 0 };
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Returns whether both units belong to the same word. */
function isWord(text: string, left: number, right: number): boolean {
  return (
    left >= 0 &&
    right < text.length &&
    WORD_CHARACTER.test(text.charAt(left)) &&
    WORD_CHARACTER.test(text.charAt(right))
  );
}
