import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Format } from '../judges/index.ts';
import type { LeafRequest } from './leaf-requests.ts';

/** Leaves of each format's document, for machines without the documents: `write-sample.ts` writes the file, and a test compares it with them. */
export const SAMPLE_FILE = path.join(import.meta.dir, 'sampled-leaves.jsonl');
const MOST = 32;

let read: readonly LeafRequest[] | null = null;

export function sampledLeaves(format: Format): readonly LeafRequest[] {
  // The lines have the shape that `write-sample.ts` writes.
  read ??= readFileSync(SAMPLE_FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LeafRequest);
  return read.filter((request) => request.format === format);
}

/** Returns a sample of the leaves, spread over the document. */
export function sampleOf(leaves: readonly LeafRequest[]): readonly LeafRequest[] {
  const every = Math.ceil(leaves.length / MOST);
  return leaves.filter((_, index) => index % every === 0);
}
