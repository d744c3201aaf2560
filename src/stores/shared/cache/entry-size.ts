import type { CachedQuestion, CacheEntry } from '../../../domain/cache/cache-entry.ts';
import type { CacheEntrySummary } from '../../../engine/ports/cache-store.ts';

/** What an entry takes of the process' memory beside its contents, and what bytes take because blocks of memory come in steps: measured. */
export const ENTRY_OVERHEAD_BYTES = 1_700;
const ALLOCATED_SHARE = 1.1;

/** A whole number. */
export function entryBytes({ answer, question }: Pick<CacheEntry, 'answer' | 'question'>): number {
  const content = answer.byteLength + (question === null ? 0 : questionBytes(question));
  return ENTRY_OVERHEAD_BYTES + Math.ceil(content * ALLOCATED_SHARE);
}

/** Two bytes for a character, as where one of them is not Latin. */
function questionBytes({ text, vector }: CachedQuestion): number {
  return text.length * 2 + vector.byteLength;
}

export function summaryOf({ answer: _, question, ...facts }: CacheEntry, bytes: number): CacheEntrySummary {
  return { ...facts, bytes, isSemantic: question !== null };
}

/**
 * An entry that keeps nothing alive but itself: bytes that are a view of something larger are copied, and so is a text, which may be a
 * piece of a whole request.
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
