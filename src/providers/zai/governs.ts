import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const chatGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'Z.ai, "Pricing": a web search costs 0.01 USD, but the usage does not include searches.',
    ['tools[].type', /^(?:web_search|mcp)/],
  ),
  ...governs({ kind: 'owners-own' }, 'Z.ai, "Retrieval": it reads from a knowledge base of the owner of the key.', [
    'tools[].type',
    /^retrieval/,
  ]),
];
