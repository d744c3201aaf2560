import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

export const chatGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'unpriced' },
    'Mistral, "Connectors": each call is billed in addition to its tokens.',
    ['tools[].type', /^(?:web_search|code_interpreter|image_generation|connector)/],
    'guardrails[]',
  ),
  ...governs(
    { kind: 'owners-own' },
    'Mistral, "Document library" and "Agents": it names an object stored by the owner of the key.',
    ['tools[].type', /^document_library/],
    'tools[].library_ids[]',
    'agent_id',
  ),
];
