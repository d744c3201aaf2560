import { SentenceEncoder } from '../../providers/local/in-process/sentence-encoder.ts';
import { readQuestion } from '../matcher/question.ts';
import type { Example } from './learn.ts';

/** Two questions, and whether people consider them the same. */
interface Pair {
  readonly textA: string;
  readonly textB: string;
  readonly isSame: boolean;
}

/** Returns whether a pair is held out: one of five is never trained on, so that measurements hold for unseen pairs. */
export function isHeldOut(index: number): boolean {
  return index % 5 === 4;
}

export async function readPairs(path: string): Promise<readonly Pair[]> {
  const rows: readonly { text_a: string; text_b: string; label: number }[] = await Bun.file(path).json();
  return rows.map(({ text_a, text_b, label }) => ({ textA: text_a, textB: text_b, isSame: label === 1 }));
}

/** Resolves to the cosines by the packaged model. 40,000 texts take some minutes, so the result is cached in the file `keptAt`. */
async function cosinesOf(pairs: readonly Pair[], keptAt: string): Promise<Float32Array> {
  const file = Bun.file(keptAt);
  if (await file.exists()) return new Float32Array(await file.arrayBuffer());
  const texts = [...new Set(pairs.flatMap(({ textA, textB }) => [textA, textB]))];
  texts.sort((one, other) => one.length - other.length);
  const encoder = await SentenceEncoder.load();
  const vectors = new Map<string, Float32Array>();
  for (let start = 0; start < texts.length; start += 64) {
    const group = texts.slice(start, start + 64);
    const together = await encoder.embed(group.map((text) => encoder.tokensOf(text)));
    const length = together.length / group.length;
    for (const [at, text] of group.entries()) vectors.set(text, together.subarray(at * length, (at + 1) * length));
  }
  const cosines = Float32Array.from(pairs, ({ textA, textB }) => dot(vectors.get(textA), vectors.get(textB)));
  await Bun.write(keptAt, cosines);
  return cosines;
}

function dot(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one?.reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0) ?? 0;
}

interface Examples {
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
