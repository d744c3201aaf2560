import { DEFAULT_CERTAINTY } from '../../domain/cache/cache.ts';
import { refusalOf } from '../matcher/refusals.ts';
import { learnedScore, sameQuestion } from '../matcher/same-question.ts';
import { printCurve } from './curve.ts';
import { readExamples } from './examples.ts';
import type { Example } from './learn.ts';

/**
 * `bun src/semantic-cache/training/measure.ts PAIRS.json COSINES.f32` measures the decision on held-out pairs, compared with the cosine,
 * the rules and the learned score alone.
 */
const [pairsPath = '', cosinesPath = ''] = process.argv.slice(2);
const { heldOut } = await readExamples(pairsPath, cosinesPath);
const judgedBy = (certaintyOf: (example: Example) => number) =>
  heldOut.map((example) => ({ certainty: certaintyOf(example), isSame: example.isSame }));
const decision = judgedBy(({ one, other, cosine }) => sameQuestion(one, other, cosine).certainty);
printCurve(
  'cosine',
  judgedBy(({ cosine }) => cosine),
);
printCurve(
  'rules and cosine',
  judgedBy(({ one, other, cosine }) => (refusalOf(one, other) === null ? cosine : 0)),
);
printCurve(
  'learned score',
  judgedBy(({ one, other, cosine }) => learnedScore(one, other, cosine)),
);
printCurve('decision', decision);
const accepted = decision.filter(({ certainty }) => certainty >= DEFAULT_CERTAINTY);
const right = accepted.filter(({ isSame }) => isSame).length;
const all = decision.filter(({ isSame }) => isSame).length;
console.log(
  `by default: precision ${(right / accepted.length).toFixed(3)} (${right} of ${accepted.length}), recall ${(right / all).toFixed(3)}`,
);
