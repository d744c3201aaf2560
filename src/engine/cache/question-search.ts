import { LEAST_COSINE } from '../../domain/cache/certainty.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { NearQuestion, QuestionIndex } from '../ports/question-index.ts';
import type { Candidate, FoundEntry, Questions } from './answer-cache.ts';

/** So many of the nearest questions are looked at. */
const MOST_NEAR = 8;

/** Finds near questions by their vectors, and among these one that asks the same by its words. */
export class QuestionSearch implements Questions {
  constructor(
    private readonly embedder: Embedder,
    private readonly index: QuestionIndex,
  ) {}

  get name(): string {
    return this.embedder.name;
  }

  embed(accountId: string, text: string, signal: AbortSignal): Promise<Float32Array | null> {
    return this.embedder.embed(accountId, text, signal);
  }

  async nearest(partition: string, vector: Float32Array): Promise<readonly NearQuestion[]> {
    return (await this.index.nearest(partition, vector, { most: MOST_NEAR, least: LEAST_COSINE })) ?? [];
  }

  async sameAs(text: string, candidates: readonly Candidate[], certainty: number): Promise<FoundEntry | null> {
    if (candidates.length === 0) return null;
    // What was learned, and the tables of words, are loaded with the first question: 60 ms, and most processes never need them.
    const [{ readQuestion }, { sameQuestion }] = await Promise.all([
      import('../../domain/cache/question.ts'),
      import('../../domain/cache/same-question.ts'),
    ]);
    const asked = readQuestion(text);
    for (const { found, cosine } of candidates) {
      const known = readQuestion(found.entry.question?.text ?? '');
      const verdict = sameQuestion(asked, known, cosine);
      if (verdict.refusedBy === null && verdict.certainty >= certainty) return found;
    }
    return null;
  }
}
