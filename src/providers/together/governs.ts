import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const chatGoverns: readonly GovernedMember[] = governs(
  { kind: 'names-model' },
  'The OpenAPI document: the model that moderates; it is billed like any other.',
  'safety_model',
);
