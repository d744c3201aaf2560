import { tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const fireworksGoverns: readonly GovernedMember[] = tiersWithoutPrice(
  'Fireworks, "Serverless": the priority tier has separate prices.',
);
