import { governs, tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

const LATER = 'xAI, "Deferred completions": the answer comes later, so nobody here sees what it has come to.';

export const chatGoverns: readonly GovernedMember[] = [
  ...governs({ kind: 'unpriced' }, 'xAI, "Live search": each source is billed.', 'search_parameters'),
  ...governs({ kind: 'unpriced' }, LATER, 'deferred'),
  ...tiersWithoutPrice('xAI, "Service tiers": priority has prices of its own.'),
];

export const responsesGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'web-search', usd: '0.005' },
    'xAI, "Tools pricing": a web search costs 5 USD for a thousand calls.',
    ['tools[].type', /^web_search/],
  ),
  ...governs(
    { kind: 'unpriced' },
    'xAI, "Tools pricing": the calls are billed beside their tokens.',
    ['tools[].type', /^(?:x_search|code_|file_search|collections_search|attachment|view_|image_)/],
    'search_parameters',
  ),
  ...governs({ kind: 'hosted-tool' }, 'xAI, "Tools pricing": remote MCP calls cost their tokens.', [
    'tools[].type',
    /^mcp/,
  ]),
  ...governs({ kind: 'unpriced' }, LATER, 'background', 'deferred'),
  ...tiersWithoutPrice('xAI, "Service tiers": priority has prices of its own.'),
];

export const transcriptionGoverns: readonly GovernedMember[] = governs(
  { kind: 'unpriced' },
  'xAI, "Speech to Text": each channel is a transcript of its own.',
  'multichannel',
);
