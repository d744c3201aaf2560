import { MOST_CHANNEL_MODELS } from '../../domain/catalog/channel-bounds.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { cutJson } from '../../formats/shared/json/json-extent.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { ModelList } from '../../providers/manifest.ts';
import type { UpstreamBody } from '../ports/upstream.ts';

/** The longest known list is OpenRouter's, whose hundreds of models take about 1 MB and 30,000 values. */
const MOST_BYTES = 4 * 1024 * 1024;
const BOUNDS = { mostValues: 100_000, deepest: 100 };

export interface ListedModels {
  /** The ids without duplicates; empty if the answer is not a list. */
  readonly ids: readonly string[];
  /** Whether the list continues, so that an absent id may still be offered. */
  readonly isCut: boolean;
}

/** Reads a provider's list of models, up to limits on bytes, values and models that no known provider's list reaches. */
export async function readModelList(
  body: UpstreamBody,
  { modelsIn }: Pick<ModelList, 'modelsIn'>,
): Promise<ListedModels | Failure> {
  const bytes = await readSome(body, MOST_BYTES);
  if (bytes instanceof Failure) return bytes;
  const { bytes: whole, isCut } = cutJson(bytes, BOUNDS);
  const ids = modelsIn(parseJsonBytes(whole));
  return { ids: ids.slice(0, MOST_CHANNEL_MODELS), isCut: isCut || ids.length > MOST_CHANNEL_MODELS };
}

/** Resolves to the body, or to its beginning if it is longer than `mostBytes`. */
async function readSome(body: UpstreamBody, mostBytes: number): Promise<Uint8Array | Failure> {
  const pieces: Uint8Array[] = [];
  for (let length = 0; length < mostBytes; ) {
    const piece = await body.read();
    if (piece instanceof Failure) return piece;
    if (piece === null) return Buffer.concat(pieces);
    pieces.push(piece);
    length += piece.length;
  }
  body.cancel();
  return Buffer.concat(pieces).subarray(0, mostBytes);
}
