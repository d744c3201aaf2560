import { governs, tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const minimaxGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'MiniMax, "Pricing": its web search is billed per call.',
    ['tools[].type', /^web_/],
    'plugins[]',
  ),
  ...tiersWithoutPrice('MiniMax, "Pricing": the priority tier has separate prices.'),
];
