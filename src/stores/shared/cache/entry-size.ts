import type { CachedQuestion, CacheEntry } from '../../../domain/cache/cache.ts';
import type { CacheEntrySummary } from '../../../engine/ports/cache-store.ts';

/** The measured memory overhead of an entry, and the factor by which allocation in size classes exceeds the content. */
export const ENTRY_OVERHEAD_BYTES = 1_700;
const ALLOCATED_SHARE = 1.1;

/** Returns the estimated memory of an entry, a whole number of bytes. */
export function entryBytes({ answer, question }: Pick<CacheEntry, 'answer' | 'question'>): number {
  const content = answer.byteLength + (question === null ? 0 : questionBytes(question));
  return ENTRY_OVERHEAD_BYTES + Math.ceil(content * ALLOCATED_SHARE);
}

/** Assumes two bytes per character, as in strings with a character outside Latin-1. */
function questionBytes({ text, vector }: CachedQuestion): number {
  return text.length * 2 + vector.byteLength;
}

export function summaryOf({ answer: _, question, ...facts }: CacheEntry, bytes: number): CacheEntrySummary {
  return { ...facts, bytes, isSemantic: question !== null };
}

/**
 * Returns an entry that retains nothing but itself. Bytes that are a view of a larger buffer are copied, and so is the text, which may be a
 * slice of a whole request.
 */
export function ownEntry(entry: CacheEntry): CacheEntry {
  const { answer, question } = entry;
  const isOwn = answer.byteLength === answer.buffer.byteLength;
  if (isOwn && question === null) return entry;
  return {
    ...entry,
    answer: isOwn ? answer : answer.slice(),
    question: question === null ? null : ownQuestion(question),
  };
}

function ownQuestion({ partition, text, vector }: CachedQuestion): CachedQuestion {
  return {
    partition,
    text: Buffer.from(text).toString(),
    vector: vector.byteLength === vector.buffer.byteLength ? vector : vector.slice(),
  };
}
