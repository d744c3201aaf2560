import { createHash } from 'node:crypto';
import { sortedJson } from '../../domain/text/sorted-json.ts';
import type { Steps } from '../../formats/shared/request/steps.ts';

/** A text, or the ids of its tokens. */
export type DigestedInput = string | readonly number[];

/** Hashing a piece takes less than a millisecond. */
const PIECE = 128 * 1024;

/**
 * Returns the digest (43 characters of base64url) of a request that is a list of inputs. Two digests are the same exactly if their inputs
 * are equal, and their `settings` regardless of the order of members. Token ids are below 2^32. One step for each piece of an input.
 */
export function* inputDigest(settings: unknown, inputs: readonly DigestedInput[]): Steps<string> {
  const digest = createHash('sha256');
  // The lengths mark the boundaries of the inputs.
  digest.update(sortedJson([settings, inputs.map((input) => [typeof input, input.length])]));
  for (const input of inputs) {
    for (let at = 0; at < input.length; at += PIECE) {
      const piece = input.slice(at, at + PIECE);
      // UTF-16 preserves unpaired surrogates, which UTF-8 all turns into the same character.
      if (typeof piece === 'string') digest.update(piece, 'utf16le');
      else digest.update(Uint32Array.from(piece));
      yield;
    }
  }
  return digest.digest('base64url');
}
