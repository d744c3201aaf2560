import { type Commonness, codeOf, hashOf, isCombination, LEAST_TIMES } from '../matcher/commonness.ts';
import type { Question } from '../matcher/question.ts';

/** Counts how many texts contain a stem or a combination. */
export class Counts {
  private texts = 0;
  private readonly times = new Map<string, number>();

  constructor(questions: Iterable<Question>) {
    for (const question of questions) {
      this.texts++;
      for (const key of keysOf(question)) this.times.set(key, (this.times.get(key) ?? 0) + 1);
    }
  }

  /** Returns the counts without these two texts, since in production the compared texts have not been counted either. */
  without(one: Question, other: Question): Commonness {
    const [left, right] = [keysOf(one), keysOf(other)];
    const logTimesOf = (key: string) => {
      const times = (this.times.get(key) ?? 0) - Number(left.has(key)) - Number(right.has(key));
      return times < leastOf(key) ? 0 : Math.log(1 + times);
    };
    return { logTimesOf, rarityOf: (stem) => Math.log(this.texts) - logTimesOf(stem) };
  }

  /** Returns the tables of a `CommonnessTable`. */
  tables(places: number): { texts: number; words: Uint8Array<ArrayBuffer>; combinations: Uint8Array<ArrayBuffer> } {
    const tables = { texts: this.texts, words: new Uint8Array(places), combinations: new Uint8Array(places) };
    for (const [key, times] of this.times) {
      if (times < leastOf(key)) continue;
      const table = isCombination(key) ? tables.combinations : tables.words;
      const place = hashOf(key) & (places - 1);
      table[place] = Math.max(table[place] ?? 0, codeOf(times));
    }
    return tables;
  }
}

function leastOf(key: string): number {
  return isCombination(key) ? LEAST_TIMES.combination : LEAST_TIMES.word;
}

const keys = new WeakMap<Question, ReadonlySet<string>>();

function keysOf(question: Question): ReadonlySet<string> {
  const known = keys.get(question);
  if (known !== undefined) return known;
  const { stems, topics } = question;
  const made = new Set([...stems, ...topics.words, ...topics.neighbours, ...topics.pairs]);
  keys.set(question, made);
  return made;
}
