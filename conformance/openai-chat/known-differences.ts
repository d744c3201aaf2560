/** Recordings (by file) that may differ through the gateway, each with a reason that a user would accept. */
export const knownDifferences: Readonly<Record<string, string>> = {};
