import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const moonshotGoverns: readonly GovernedMember[] = governs(
  { kind: 'unpriced' },
  'Moonshot, "Web search": each call of a built-in function is billed in addition to its tokens.',
  ['tools[].type', /^(?:builtin_function|web_search)/],
);
