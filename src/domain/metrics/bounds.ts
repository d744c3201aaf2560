/** The bounds of most durations in seconds: from a cached answer to a model that thinks for minutes. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

/** The bounds of durations of commits and commands in seconds: from a fraction of a millisecond to the worst case of a disk. */
export const COMMIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
