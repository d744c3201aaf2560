import { governs, tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

const LATER = 'xAI, "Deferred completions": the response comes later, so the gateway does not see its cost.';

export const chatGoverns: readonly GovernedMember[] = [
  ...governs({ kind: 'unpriced' }, 'xAI, "Live search": each source is billed.', 'search_parameters'),
  ...governs({ kind: 'unpriced' }, LATER, 'deferred'),
  ...tiersWithoutPrice('xAI, "Service tiers": priority has separate prices.'),
];

export const responsesGoverns: readonly GovernedMember[] = [
  ...governs({ kind: 'web-search', usd: '0.005' }, 'xAI, "Tools pricing": web searches cost 5 USD per 1,000 calls.', [
    'tools[].type',
    /^web_search/,
  ]),
  ...governs(
    { kind: 'unpriced' },
    'xAI, "Tools pricing": the calls are billed in addition to their tokens.',
    ['tools[].type', /^(?:x_search|code_|file_search|collections_search|attachment|view_|image_)/],
    'search_parameters',
  ),
  ...governs({ kind: 'hosted-tool' }, 'xAI, "Tools pricing": remote MCP calls are billed by their tokens.', [
    'tools[].type',
    /^mcp/,
  ]),
  ...governs({ kind: 'unpriced' }, LATER, 'background', 'deferred'),
  ...tiersWithoutPrice('xAI, "Service tiers": priority has separate prices.'),
];

export const transcriptionGoverns: readonly GovernedMember[] = governs(
  { kind: 'unpriced' },
  'xAI, "Speech to Text": each audio channel becomes a separate transcript.',
  'multichannel',
);
