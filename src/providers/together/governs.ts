import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const chatGoverns: readonly GovernedMember[] = governs(
  { kind: 'names-model' },
  'The OpenAPI document: it names a moderation model, which is billed like any other.',
  'safety_model',
);
