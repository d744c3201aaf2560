import { PatternError, type PatternNode, type Units } from './parse-pattern.ts';

/** One step of a compiled pattern. `next` and `other` are the numbers of steps. */
export type Step =
  | { readonly kind: 'units'; readonly units: Units; readonly next: number }
  | { readonly kind: 'split'; readonly next: number; readonly other: number }
  | { readonly kind: 'assert'; readonly what: 'start' | 'end' | 'boundary' | 'no-boundary'; readonly next: number }
  | { readonly kind: 'match' };

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

/** Repetitions are written out, so that a short pattern may need many steps; each character of a text may visit all of them. */
const MOST_STEPS = 1_000;

/** Compiles a pattern, or its mirror image for texts that are read backwards. Throws `PatternError` for one that needs too many steps. */
export function compilePattern(node: PatternNode, direction: 'forward' | 'backward'): Program {
  const steps: Step[] = [{ kind: 'match' }];
  const add = (step: Step): number => {
    if (steps.length >= MOST_STEPS) throw new PatternError('is too large; use smaller repetitions');
    return steps.push(step) - 1;
  };
  // Emits the node before the step `next`, and returns the number of its first step.
  const emit = (part: PatternNode, next: number): number => {
    switch (part.kind) {
      case 'units':
        return add({ kind: 'units', units: part.units, next });
      case 'assert':
        return add({ kind: 'assert', what: mirrored(part.what, direction), next });
      case 'sequence': {
        const items = direction === 'forward' ? part.items.toReversed() : part.items;
        return items.reduce((after, item) => emit(item, after), next);
      }
      case 'choice':
        return part.options
          .map((option) => emit(option, next))
          .reduceRight((other, first) => add({ kind: 'split', next: first, other }));
      case 'repeat':
        return repeated(part, next);
    }
  };
  const repeated = ({ item, least, most }: Extract<PatternNode, { kind: 'repeat' }>, next: number): number => {
    let first = next;
    if (most === null) {
      const loop = add({ kind: 'split', next, other: next });
      steps[loop] = { kind: 'split', next: emit(item, loop), other: next };
      first = loop;
    } else {
      for (let more = least; more < most; more++) first = add({ kind: 'split', next: emit(item, first), other: next });
    }
    for (let required = 0; required < least; required++) first = emit(item, first);
    return first;
  };
  return { start: emit(node, 0), steps };
}

function mirrored<What extends 'start' | 'end' | 'boundary' | 'no-boundary'>(
  what: What,
  direction: 'forward' | 'backward',
) {
  if (direction === 'forward') return what;
  return what === 'start' ? 'end' : what === 'end' ? 'start' : what;
}
