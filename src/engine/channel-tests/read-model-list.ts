import { MOST_CHANNEL_MODELS } from '../../domain/catalog/channel-bounds.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { cutJson } from '../../formats/shared/json/json-extent.ts';
import { parseJsonBytes } from '../../formats/shared/json/json-text.ts';
import type { ModelList } from '../../providers/manifest.ts';
import type { UpstreamBody } from '../ports/upstream.ts';

/** OpenRouter's list of some hundred models, the longest known, has about 1 MB and 30,000 values. */
const MOST_BYTES = 4 * 1024 * 1024;
const BOUNDS = { mostValues: 100_000, deepest: 100 };

export interface ListedModels {
  /** Each once; none where the answer is something else than a list. */
  readonly ids: readonly string[];
  /** Whether the list goes on, so that it does not tell what is missing. */
  readonly isCut: boolean;
}

/** Reads a provider's list of models as far as it has no more bytes, values and models than any provider's. */
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

/** The beginning, where there is more. */
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
