import { expect, test } from 'bun:test';
import type { QuestionMatcher } from '../ports/question-index.ts';
import type { Candidate } from './answer-cache.ts';
import { QuestionSearch } from './question-search.ts';

/** Reads its verdict from the text of the known question: a number, or nothing for a refusal. */
function matcherOf(read: string[]): QuestionMatcher {
  return {
    async read(asked) {
      read.push(asked);
      return (known) => (known === '' ? null : Number(known));
    },
  };
}

function searchWith(matcher: QuestionMatcher): QuestionSearch {
  const embedder = { name: 'none', embed: async () => null };
  const index = { nearest: async () => null, statistics: () => ({ questions: 0, bytes: 0 }), close: async () => {} };
  return new QuestionSearch(embedder, index, matcher);
}

function candidate(text: string): Candidate {
  const entry = {
    ...{ id: `ce_${text}`, key: text, accountId: 'acme', isShared: false, modelId: 'm', upstreamModel: 'm' },
    ...{ storedAtMs: 0, expiresAtMs: 1, answer: new Uint8Array() },
    channel: { id: 'c', name: 'C', provider: 'openai', channelType: 'PLATFORM' as const },
    question: { partition: 'p', text, vector: new Float32Array([1]) },
  };
  return { found: { entry, match: 'semantic', ageMs: 0 }, cosine: 0.9 };
}

test('the nearest question above the certainty is found, and the asked question is read once', async () => {
  const read: string[] = [];
  const [below, exactly, above] = [candidate('0.8'), candidate('0.9'), candidate('1')];
  expect(await searchWith(matcherOf(read)).sameAs('Why?', [below, exactly, above], 0.9)).toBe(exactly.found);
  expect(read).toEqual(['Why?']);
});

test('a question that a rule refuses is not found, even at certainty 0', async () => {
  expect(await searchWith(matcherOf([])).sameAs('Why?', [candidate('')], 0)).toBeNull();
});

test('the matcher is not loaded without candidates', async () => {
  const read: string[] = [];
  expect(await searchWith(matcherOf(read)).sameAs('Why?', [], 0)).toBeNull();
  expect(read).toEqual([]);
});
