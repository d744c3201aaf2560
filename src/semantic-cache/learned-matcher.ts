import type { QuestionMatcher } from '../engine/ports/question-index.ts';

/** Matches questions by rules and by a score that was learned from pairs of questions, see docs/decisions/013-semantic-cache.md. */
export const learnedMatcher: QuestionMatcher = {
  async read(text) {
    // The model and its word tables take 60 ms to load and most processes never need them, so the first question loads them.
    const [{ readQuestion }, { sameQuestion }] = await Promise.all([
      import('./matcher/question.ts'),
      import('./matcher/same-question.ts'),
    ]);
    const asked = readQuestion(text);
    return (known, cosine) => {
      const { certainty, refusedBy } = sameQuestion(asked, readQuestion(known), cosine);
      return refusedBy === null ? certainty : null;
    };
  },
};
