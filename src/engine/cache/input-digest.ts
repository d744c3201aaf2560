import { createHash } from 'node:crypto';
import { sortedJson } from '../../domain/text/sorted-json.ts';
import type { Steps } from '../../formats/shared/request/steps.ts';

/** A text, or the ids of its tokens. */
export type DigestedInput = string | readonly number[];

/** So much takes less than a millisecond. */
const PIECE = 128 * 1024;

/**
 * Digest (43 characters of base64url) of a request that is a list of inputs. Two have the same exactly if their inputs are equal, and
 * their `settings`, in which the order of members does not count. Token ids are below 2^32. One step for each piece of an input.
 */
export function* inputDigest(settings: unknown, inputs: readonly DigestedInput[]): Steps<string> {
  const digest = createHash('sha256');
  // The lengths say where one input ends and the next one begins.
  digest.update(sortedJson([settings, inputs.map((input) => [typeof input, input.length])]));
  for (const input of inputs) {
    for (let at = 0; at < input.length; at += PIECE) {
      const piece = input.slice(at, at + PIECE);
      // UTF-16 has a place for halves of surrogate pairs, which are all the same character in UTF-8.
      if (typeof piece === 'string') digest.update(piece, 'utf16le');
      else digest.update(Uint32Array.from(piece));
      yield;
    }
  }
  return digest.digest('base64url');
}
