/** The contract's names for the faults of a cached answer. */
export const FEEDBACK_TYPES = ['wrong_answer', 'outdated', 'incomplete', 'unsafe', 'other'] as const;
export type FeedbackType = (typeof FEEDBACK_TYPES)[number];

/** The limit in characters. */
export const MOST_DESCRIPTION = 4_000;
