import { readModel } from '../matcher/model-file.ts';
import { decide } from '../matcher/same-question.ts';
import { printCurve } from './curve.ts';
import { readExamples } from './examples.ts';
import { learn } from './learn.ts';
import { randomFrom, shuffled } from './random.ts';

/**
 * `bun src/semantic-cache/training/cross-validate.ts PAIRS.json COSINES.f32` judges each training pair by a model learned from the other
 * four fifths, to choose rules and settings. Held-out pairs take no part.
 */
const FOLDS = 5;

const [pairsPath = '', cosinesPath = ''] = process.argv.slice(2);
const { training } = await readExamples(pairsPath, cosinesPath);
const order = [...shuffled(training.length, randomFrom(99))].flatMap((at) => training[at] ?? []);
const judged = Array.from({ length: FOLDS }, (_, fold) => {
  const model = readModel(learn(order.filter((_, at) => at % FOLDS !== fold)));
  return order
    .filter((_, at) => at % FOLDS === fold)
    .map(({ one, other, cosine, isSame }) => ({ certainty: decide(model, one, other, cosine).certainty, isSame }));
});
printCurve('cross-validated decision', judged.flat());
