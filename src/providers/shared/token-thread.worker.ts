import { parentPort } from 'node:worker_threads';
import { Tokenizer } from './tokenizer.ts';

/** The most text that is counted, at about 10 MB/s; the rest is estimated from the tokens per character so far. */
const MAX_COUNTED_CHARS = 1024 * 1024;

parentPort?.on('message', async (texts: readonly string[]) => {
  const tokenizer = await Tokenizer.load();
  parentPort?.postMessage(countBounded(texts, tokenizer));
});

function countBounded(texts: readonly string[], tokenizer: Tokenizer): number {
  let chars = 0;
  let tokens = 0;
  let uncounted = 0;
  for (const text of texts) {
    const counted = text.slice(0, Math.max(0, MAX_COUNTED_CHARS - chars));
    tokens += counted === '' ? 0 : tokenizer.count(counted);
    chars += counted.length;
    uncounted += text.length - counted.length;
  }
  return uncounted === 0 ? tokens : tokens + Math.ceil((uncounted * tokens) / chars);
}
