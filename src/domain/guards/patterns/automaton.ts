import type { Units } from './parse-pattern.ts';
import type { Program } from './program.ts';

/** The kind of the unit before a place: none at the end of the text, a word's, or another. */
const NONE = 0;
const WORD = 1;
const OTHER = 2;
type Edge = typeof NONE | typeof WORD | typeof OTHER;

/** The unit class after the last unit of the text. */
const END = 0;
/** A state whose steps can match nothing any more. */
export const DEAD = 0;
/** More states are not kept: all are made anew from the current one on. */
const MOST_STATES = 500;

interface State {
  /** The steps before assertions are decided, sorted. */
  readonly steps: readonly number[];
  readonly edge: Edge;
  /** The number of the next state for each unit class; -1 if it is not known yet. */
  readonly next: Int32Array;
  /** Whether a match ends before a unit of each class; -1 if it is not known yet. */
  readonly matches: Int8Array;
}

/**
 * Runs a program over texts: a deterministic automaton whose states are made when they are first reached. Every unit of a text costs one table
 * look-up, or at most one visit of each step of the program, whatever the text.
 */
export class Automaton {
  private states: State[] = [];
  private byKey = new Map<string, number>();
  private readonly classes: UnitClasses;

  /** @param isAnchored whether a match begins at the first unit; otherwise it may begin anywhere */
  constructor(
    private readonly program: Program,
    private readonly isAnchored: boolean,
  ) {
    this.classes = new UnitClasses(program);
    this.reset();
  }

  /** Returns the state before the first unit. `before` is the unit in front of it; `null` at the end of the text. */
  begin(before: number | null): number {
    return this.numberOf([this.program.start], before === null ? NONE : isWordUnit(before) ? WORD : OTHER);
  }

  /** Returns whether a match ends before this unit; `null` stands for the end of the text. */
  matchesBefore(state: number, unit: number | null): boolean {
    const of = this.states[state] as State;
    const unitClass = unit === null ? END : this.classes.of(unit);
    const known = of.matches[unitClass] as number;
    if (known >= 0) return known === 1;
    const matches = this.closed(of, unit).includes(0);
    of.matches[unitClass] = matches ? 1 : 0;
    return matches;
  }

  /** Returns the state after a unit, `DEAD` if no match can follow. */
  after(state: number, unit: number): number {
    const of = this.states[state] as State;
    const unitClass = this.classes.of(unit);
    const known = of.next[unitClass] as number;
    if (known >= 0) return known;
    const reached = new Set<number>();
    for (const number of this.closed(of, unit)) {
      const step = this.program.steps[number];
      if (step?.kind === 'units' && hasUnit(step.units, unit)) reached.add(step.next);
    }
    if (!this.isAnchored) reached.add(this.program.start);
    const steps = [...reached].sort((a, b) => a - b);
    if (this.states.length >= MOST_STATES) {
      this.reset();
      return this.numberOf(steps, isWordUnit(unit) ? WORD : OTHER);
    }
    const next = this.numberOf(steps, isWordUnit(unit) ? WORD : OTHER);
    of.next[unitClass] = next;
    return next;
  }

  /** Follows splits and the assertions that hold between the state's last unit and this one. */
  private closed({ steps, edge }: State, unit: number | null): readonly number[] {
    const here: Edge = unit === null ? NONE : isWordUnit(unit) ? WORD : OTHER;
    const seen = new Set<number>();
    const open = [...steps];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (seen.has(number)) continue;
      seen.add(number);
      const step = this.program.steps[number];
      if (step?.kind === 'split') open.push(step.next, step.other);
      else if (step?.kind === 'assert' && holds(step.what, edge, here)) open.push(step.next);
    }
    return [...seen];
  }

  private numberOf(steps: readonly number[], edge: Edge): number {
    if (steps.length === 0) return DEAD;
    const key = `${edge} ${steps.join(' ')}`;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    this.byKey.set(key, this.states.length);
    return this.states.push(stateOf(steps, edge, this.classes.count)) - 1;
  }

  private reset(): void {
    this.states = [stateOf([], OTHER, this.classes.count)];
    this.byKey = new Map();
  }
}

function stateOf(steps: readonly number[], edge: Edge, classes: number): State {
  return { steps, edge, next: new Int32Array(classes).fill(-1), matches: new Int8Array(classes).fill(-1) };
}

function holds(what: 'start' | 'end' | 'boundary' | 'no-boundary', before: Edge, here: Edge): boolean {
  switch (what) {
    case 'start':
      return before === NONE;
    case 'end':
      return here === NONE;
    case 'boundary':
      return (before === WORD) !== (here === WORD);
    case 'no-boundary':
      return (before === WORD) === (here === WORD);
  }
}

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f || (unit >= 0x61 && unit <= 0x7a)
  );
}

function hasUnit(units: Units, unit: number): boolean {
  return units.some(([from, to]) => unit >= from && unit <= to);
}

/** The code units in classes whose members the program does not tell apart. */
class UnitClasses {
  readonly count: number;
  private readonly ascii = new Uint16Array(128);
  /** The first unit of each class; the classes begin with 1. */
  private readonly starts: readonly number[];

  constructor({ steps }: Program) {
    // Word units have classes of their own, because of `\b`.
    const starts = new Set([0, 0x30, 0x3a, 0x41, 0x5b, 0x5f, 0x60, 0x61, 0x7b]);
    for (const step of steps) {
      if (step.kind !== 'units') continue;
      for (const [from, to] of step.units) starts.add(from).add(to + 1);
    }
    this.starts = [...starts].filter((start) => start <= 0xffff).sort((a, b) => a - b);
    this.count = this.starts.length + 1;
    for (let unit = 0; unit < 128; unit++) this.ascii[unit] = this.search(unit);
  }

  of(unit: number): number {
    return unit < 128 ? (this.ascii[unit] as number) : this.search(unit);
  }

  private search(unit: number): number {
    let [low, high] = [0, this.starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] as number) <= unit) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}
