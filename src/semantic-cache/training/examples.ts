import { readQuestion } from '../matcher/question.ts';
import type { Example } from './learn.ts';
import { cosinesOf, isHeldOut, readPairs } from './pairs.ts';

export interface Examples {
  readonly training: readonly Example[];
  readonly heldOut: readonly Example[];
}

/** `pairsPath` is a JSON list of `{text_a, text_b, label}`; `cosinesPath` is the cache file of their cosines. */
export async function readExamples(pairsPath: string, cosinesPath: string): Promise<Examples> {
  const pairs = await readPairs(pairsPath);
  const cosines = await cosinesOf(pairs, cosinesPath);
  const all = pairs.map(({ textA, textB, isSame }, at) => ({
    one: readQuestion(textA),
    other: readQuestion(textB),
    cosine: cosines[at] ?? 0,
    isSame,
  }));
  return { training: all.filter((_, at) => !isHeldOut(at)), heldOut: all.filter((_, at) => isHeldOut(at)) };
}
