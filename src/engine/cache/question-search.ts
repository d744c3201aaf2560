import { LEAST_COSINE } from '../../domain/cache/cache.ts';
import type { Embedder, NearQuestion, QuestionIndex, QuestionMatcher } from '../ports/question-index.ts';
import type { Candidate, FoundEntry, Questions } from './answer-cache.ts';

/** The number of nearest questions that are compared by their words. */
const MOST_NEAR = 8;

/** Finds near questions by their vectors, and among these one that asks the same by its words. */
export class QuestionSearch implements Questions {
  constructor(
    private readonly embedder: Embedder,
    private readonly index: QuestionIndex,
    private readonly matcher: QuestionMatcher,
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
    const certaintyOf = await this.matcher.read(text);
    for (const { found, cosine } of candidates) {
      const reached = certaintyOf(found.entry.question?.text ?? '', cosine);
      if (reached !== null && reached >= certainty) return found;
    }
    return null;
  }
}
