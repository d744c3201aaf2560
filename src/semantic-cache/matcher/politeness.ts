import type { Token } from './tokens.ts';

const POLITE = new Set(['please', 'thanks', 'hello', 'hi', 'hey', 'kindly']);
const WH = new Set(['what', 'which', 'who', 'whom', 'where', 'when', 'why', 'how']);
const VERBS = new Set(['is', 'are', 'was', 'were', 'will', 'would', 'has', 'have', 'can', 'should', 'makes', 'caused']);

/** Removes words addressed to the answerer: `please`, `can you tell me`, the opinion in `who do you think will win`. */
export function withoutPoliteness(tokens: readonly Token[]): readonly Token[] {
  const kept = tokens.filter(({ word }) => !POLITE.has(word));
  const words = kept.map(({ word }) => word);
  const asked = words.findIndex((word) => WH.has(word));
  const isOpening =
    asked > 0 &&
    asked <= 5 &&
    /^(?:can|could|would|will) you (?:tell|explain)(?: to)?(?: me)?$/.test(words.slice(0, asked).join(' '));
  const rest = isOpening ? kept.slice(asked) : kept;
  const at = rest.findIndex(
    ({ word }, index) =>
      WH.has(word) &&
      rest[index + 1]?.word === 'do' &&
      rest[index + 2]?.word === 'you' &&
      rest[index + 3]?.word === 'think' &&
      VERBS.has(rest[index + 4]?.word ?? ''),
  );
  return at < 0 ? rest : rest.toSpliced(at + 1, 3);
}
