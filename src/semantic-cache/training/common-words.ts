import { tokensOf } from '../matcher/tokens.ts';
import { isHeldOut, readPairs } from './examples.ts';

/**
 * `bun src/semantic-cache/training/common-words.ts PAIRS.json` rewrites the list of words that people rarely capitalize within a sentence,
 * from the training pairs. A capital marks such a word as stressed, not as a name.
 */
const LEAST_SEEN = 5;
const LEAST_SHARE = 0.75;

const [pairsPath = ''] = process.argv.slice(2);
const pairs = (await readPairs(pairsPath)).filter((_, at) => !isHeldOut(at));
const seen = new Map<string, { small: number; all: number }>();
for (const text of pairs.flatMap(({ textA, textB }) => [textA, textB])) {
  for (const { word, kind, isFirst, isCapital } of tokensOf(text)) {
    if (kind !== 'word' || isFirst || !/^[a-z]{3,}$/.test(word)) continue;
    const counts = seen.get(word) ?? { small: 0, all: 0 };
    counts.all++;
    if (!isCapital) counts.small++;
    seen.set(word, counts);
  }
}
const words = [...seen].filter(([, { small, all }]) => small >= LEAST_SEEN && small >= LEAST_SHARE * all);
const list = words.map(([word]) => word).sort();
const target = new URL('../matcher/common-words.json', import.meta.url);
await Bun.write(target, `${JSON.stringify(list.join(' '))}\n`);
