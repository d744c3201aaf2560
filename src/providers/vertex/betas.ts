import { BETA_MEMBERS, type KnownBeta, type MessagesBetas, TOOL_BETAS_OF_CLOUDS } from '../shared/messages-betas.ts';

/**
 * Vertex AI answers any other flag with a 400 ("Unexpected value(s) `…` for the `anthropic-beta` header"). These are the flags of
 * the features that Google's pages on Claude and Anthropic's feature overview list for it.
 */
const FLAGS: readonly KnownBeta[] = [
  ...[
    ...['computer-use-2024-10-22', 'computer-use-2025-01-24', 'computer-use-2025-11-24'],
    ...['interleaved-thinking-2025-05-14', 'context-1m-2025-08-07', 'context-management-2025-06-27'],
    ...['compact-2026-01-12', 'web-search-2025-03-05'],
  ].map((flag): KnownBeta => ({ flag })),
  ...TOOL_BETAS_OF_CLOUDS,
];

export const messagesBetas: MessagesBetas = { flags: FLAGS, members: BETA_MEMBERS };
