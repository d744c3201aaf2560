import type { TokenLogprob } from './response.ts';
import type { StreamPart } from './stream-part.ts';

/** The approximate length of the pieces that upstreams send. */
const USUAL_PIECE = 24;
/** Longer texts get longer pieces. */
const MOST_PIECES = 256;

type Delta = Extract<StreamPart, { readonly type: `${string}-delta` }>;

/** Returns the parts of a whole answer with its texts in pieces, as a model would have streamed them. */
export function inNaturalPieces(parts: readonly StreamPart[]): StreamPart[] {
  return parts.flatMap((part) => (part.type.endsWith('-delta') ? piecesOf(part as Delta) : [part]));
}

function piecesOf(part: Delta): StreamPart[] {
  if (part.type === 'tool-call-delta') {
    return cut(part.arguments).map((piece) => ({ ...part, arguments: piece }));
  }
  if (part.type === 'text-delta' && part.logprobs !== undefined) return tokensOf(part, part.logprobs);
  return cut(part.text).map((text) => ({ ...part, text }));
}

/** Splits after spaces where possible, and never within a surrogate pair. */
function cut(text: string): string[] {
  const length = Math.max(USUAL_PIECE, Math.ceil(text.length / MOST_PIECES));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start, start + length);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces.length === 0 ? [text] : pieces;
}

function endOfPiece(text: string, start: number, usual: number): number {
  if (usual >= text.length) return text.length;
  const space = text.lastIndexOf(' ', usual - 1);
  if (space > start) return space + 1;
  const isWithin = /[\uD800-\uDBFF]/.test(text.charAt(usual - 1));
  return isWithin ? usual + 1 : usual;
}

/** Returns each token with its own probabilities, if the tokens add up to the text. */
function tokensOf(
  part: Extract<StreamPart, { readonly type: 'text-delta' }>,
  logprobs: readonly TokenLogprob[],
): StreamPart[] {
  if (logprobs.map(({ token }) => token).join('') !== part.text || logprobs.length > MOST_PIECES * 16) return [part];
  return logprobs.map((one) => ({ ...part, text: one.token, logprobs: [one] }));
}
