import { tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const chatGoverns: readonly GovernedMember[] = tiersWithoutPrice(
  'Cerebras, "Service tiers": priority is for dedicated endpoints and is billed by contract.',
);
