import { BETA_MEMBERS, type KnownBeta, type MessagesBetas, TOOL_BETAS_OF_CLOUDS } from '../shared/messages-betas.ts';

/**
 * Bedrock answers a beta flag that it does not know with a 400 ("invalid beta flag"), and Anthropic's own clients send
 * several that only Anthropic's API has. These are the ones that its user guide names (Anthropic Claude Messages API,
 * "Beta features", and the pages of the models).
 */
const FLAGS: readonly KnownBeta[] = [
  ...[
    ...['computer-use-2024-10-22', 'computer-use-2025-01-24', 'computer-use-2025-11-24'],
    ...['token-efficient-tools-2025-02-19', 'interleaved-thinking-2025-05-14', 'dev-full-thinking-2025-05-14'],
    ...['output-128k-2025-02-19', 'fine-grained-tool-streaming-2025-05-14', 'context-1m-2025-08-07'],
    ...['context-management-2025-06-27', 'compact-2026-01-12', 'effort-2025-11-24'],
  ].map((flag): KnownBeta => ({ flag })),
  ...TOOL_BETAS_OF_CLOUDS,
];

export const messagesBetas: MessagesBetas = { flags: FLAGS, members: BETA_MEMBERS };
