import { governs, tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

/** The compatibility endpoint accepts Gemini's own members in `extra_body`. */
export const chatGoverns: readonly GovernedMember[] = [
  ...tiersWithoutPrice('Google, "Optimization and inference": tiers have separate prices.'),
  ...governs(
    { kind: 'owners-own' },
    'Google, "OpenAI compatibility": it names an object cached or stored by the owner of the key.',
    'extra_body.google.cached_content',
    'extra_body.extra_body.google.cached_content',
    'google.cached_content',
  ),
];
