import { createHash } from 'node:crypto';
import type { CachedQuestion, CacheEntry } from '../../../domain/cache/cache.ts';

/** Returns a digest like those of keys and partitions. */
export function digestOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}

export function cacheEntryId(name: string): string {
  return `ce_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** Returns an entry with defaults for all fields that the test does not set. Its id and key derive from `name`. */
export function sampleCacheEntry(name: string, fields: Partial<CacheEntry> = {}): CacheEntry {
  const storedAtMs = fields.storedAtMs ?? Date.now();
  return {
    id: cacheEntryId(name),
    key: digestOf(name),
    accountId: 'acme',
    isShared: false,
    modelId: 'gpt-4o-mini',
    channel: { id: 'openai-main', name: 'OpenAI main', provider: 'openai', channelType: 'PLATFORM' },
    upstreamModel: 'gpt-4o-mini-2024-07-18',
    storedAtMs,
    expiresAtMs: storedAtMs + 3_600_000,
    answer: answerOf(`{"text":"answer of ${name} ä"}`),
    question: null,
    ...fields,
  };
}

export function answerOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

/** Returns a response of `bytes` random bytes, which cannot be compressed or shared. */
export function randomAnswer(bytes: number): Uint8Array<ArrayBuffer> {
  const answer = new Uint8Array(bytes);
  for (let from = 0; from < bytes; from += 65_536) crypto.getRandomValues(answer.subarray(from, from + 65_536));
  return answer;
}

export function sampleQuestion(partition: string, text = 'How are you?', dimensions = 4): CachedQuestion {
  const vector = new Float32Array(dimensions);
  vector[text.length % dimensions] = 1;
  return { partition: digestOf(partition), text, vector };
}
