import { governs } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

/** Sonar: the catalog's prices are those of the smallest context. */
export const chatGoverns: readonly GovernedMember[] = governs(
  { kind: 'unpriced' },
  'Perplexity, "Pricing": a request costs more with a larger search context or with Pro Search.',
  ['web_search_options.search_context_size', /^(?!low$)/],
  ['web_search_options.search_type', /^(?!fast$)/],
);

/** The Agent API. */
export const responsesGoverns: readonly GovernedMember[] = [
  ...governs(
    { kind: 'names-model' },
    'Perplexity, "Model fallback": if a model fails, the next one responds.',
    'models[]',
  ),
  ...governs({ kind: 'chooses-model' }, 'Perplexity, "Presets": a preset includes a model and tools.', 'preset'),
  ...governs({ kind: 'web-search' }, 'Perplexity, "Pricing": web searches of the Agent API are billed per call.', [
    'tools[].type',
    /^web_search/,
  ]),
  ...governs(
    { kind: 'unpriced' },
    'Perplexity, "Pricing": calls are billed, but the usage does not include them.',
    ['tools[].type', /^(?:fetch_url|people_search|finance_search|sandbox|code_|mcp)/],
    'background',
  ),
];
