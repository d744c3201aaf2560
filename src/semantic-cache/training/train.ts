import { readExamples } from './examples.ts';
import { learn } from './learn.ts';

/**
 * `bun src/semantic-cache/training/train.ts PAIRS.json COSINES.f32` learns from four fifths of the pairs and rewrites the table in
 * `src/semantic-cache/matcher`. It is deterministic.
 */
const [pairsPath = '', cosinesPath = ''] = process.argv.slice(2);
const { training } = await readExamples(pairsPath, cosinesPath);
const target = new URL('../matcher/same-question.model.json', import.meta.url);
await Bun.write(target, `${JSON.stringify(learn(training))}\n`);
