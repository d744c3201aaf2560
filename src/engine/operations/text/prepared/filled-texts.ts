import type { BodyScan } from '../../../../formats/shared/request/body-scan.ts';

const QUOTE_BYTES = 2;

/** A body and the offsets of the texts of its messages, in pairs; `contents` may leave out empty ones. */
export type Texts = Pick<BodyScan, 'bytes' | 'contents'>;

/** Returns the offsets of the texts that are not empty, in pairs, quotes included. An empty one is a part of the outline. */
export function filledTexts({ contents }: Pick<BodyScan, 'contents'>): readonly number[] {
  const all = contents ?? [];
  const filled: number[] = [];
  for (let index = 0; index < all.length; index += 2) {
    const start = all[index] ?? 0;
    const end = all[index + 1] ?? 0;
    if (end - start > QUOTE_BYTES) filled.push(start, end);
  }
  return filled;
}
