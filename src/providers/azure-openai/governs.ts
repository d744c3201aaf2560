import { governs, tiersWithoutPrice } from '../shared/governed/members.ts';
import { ANY_WEB_SEARCH, BACKGROUND, HOSTED_TOOLS, IMAGE_TOOL } from '../shared/governed/openai.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

const common: readonly GovernedMember[] = [
  ...tiersWithoutPrice('Azure, "Priority processing": the price of a tier is part of the contract for the resource.'),
  ...governs(
    { kind: 'owners-own' },
    'Azure, "On your data": the source is read with the identity of the Azure resource.',
    'data_sources[]',
  ),
];

export const chatGoverns: readonly GovernedMember[] = [
  ...common,
  ...governs({ kind: 'unpriced' }, 'Azure, "Web search": Bing bills every call.', 'web_search_options'),
];

export const responsesGoverns: readonly GovernedMember[] = [
  ...common,
  ...BACKGROUND,
  ...ANY_WEB_SEARCH,
  ...IMAGE_TOOL,
  ...HOSTED_TOOLS,
  ...governs({ kind: 'unpriced' }, 'Azure, "Grounding": the service behind it bills every call.', [
    'tools[].type',
    /^(?:bing_|sharepoint|fabric|azure_)/,
  ]),
];
