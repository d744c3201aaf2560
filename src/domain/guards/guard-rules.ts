import type { GuardAction } from '../verdicts/guard-verdict.ts';
import { BlockedTerms } from './blocked-terms.ts';
import { foldedText } from './folded-text.ts';
import type { Guard } from './guard.ts';
import { type Match, Pattern } from './patterns/pattern.ts';
import { piiIn } from './pii.ts';

/** A match of a rule. */
export interface Finding extends Match {
  /** The name of the rule, or its class of personal data. */
  readonly rule: string;
  readonly action: GuardAction;
}

/** More matches of one rule in one text are not looked for: the text is refused. */
export const MOST_MATCHES = 20_000;

interface CompiledRule {
  readonly name: string;
  readonly action: GuardAction;
  find(text: string, most: number): readonly Match[];
}

/** The compiled rules of a guard that need no other service. */
export class GuardRules {
  private readonly rules: readonly CompiledRule[];

  /** Throws `PatternError` for an invalid pattern. */
  constructor({ patterns, pii, terms }: Pick<Guard, 'patterns' | 'pii' | 'terms'>) {
    this.rules = [
      ...pii.map(
        ({ kind, action }): CompiledRule => ({ name: kind, action, find: (text, most) => piiIn(kind, text, most) }),
      ),
      ...patterns.map(({ name, pattern, ignoreCase, action }): CompiledRule => {
        const compiled = new Pattern(pattern, { ignoreCase });
        return { name, action, find: (text, most) => compiled.matches(text, most) };
      }),
      ...terms.map(({ name, action, ...rule }): CompiledRule => {
        const compiled = new BlockedTerms(rule);
        return { name, action, find: (text, most) => compiled.matches(text, most) };
      }),
    ];
  }

  get isEmpty(): boolean {
    return this.rules.length === 0;
  }

  /** The names of the rules that mask. */
  get maskingRules(): readonly string[] {
    return this.rules.flatMap(({ name, action }) => (action === 'mask' ? [name] : []));
  }

  /** Returns the findings of all rules, rule by rule. A rule has at most twice `MOST_MATCHES`. */
  findings(text: string): readonly Finding[] {
    const folded = foldedText(text);
    const all: Finding[] = [];
    for (const { name: rule, action, find } of this.rules) {
      const matches = find(text, MOST_MATCHES);
      for (const { start, end } of matches) all.push({ start, end, rule, action });
      if (folded === null) continue;
      const known = new Set(matches.map(placeOf));
      for (const match of find(folded.text, MOST_MATCHES)) {
        const place = { start: folded.places[match.start] ?? 0, end: folded.places[match.end] ?? text.length };
        if (!known.has(placeOf(place))) all.push({ ...place, rule, action });
      }
    }
    return all;
  }
}

function placeOf({ start, end }: Match): number {
  return start * 2 ** 26 + end;
}

/** Returns the findings that mask, from left to right and without overlaps: a longer match wins over one that it covers. */
export function maskingFindings(findings: readonly Finding[]): readonly Finding[] {
  const sorted = findings.filter(({ action }) => action === 'mask').sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: Finding[] = [];
  for (const finding of sorted) {
    const last = kept.at(-1);
    if (last === undefined || finding.start >= last.end) kept.push(finding);
    // Overlapping matches are masked as one, so that no part of either remains.
    else if (finding.end > last.end) kept[kept.length - 1] = { ...last, end: finding.end };
  }
  return kept;
}
