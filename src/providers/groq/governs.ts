import { governs, tiersWithoutPrice } from '../shared/governed/members.ts';
import type { GovernedMember } from '../shared/governed-member.ts';

const common: readonly GovernedMember[] = [
  ...tiersWithoutPrice('Groq, "Service tiers": `performance` is billed by contract.', {
    auto: '1',
    on_demand: '1',
    flex: '1',
    default: '1',
  }),
  ...governs({ kind: 'unpriced' }, 'Groq, "Built-in tools": each call is billed in addition to its tokens.', [
    'tools[].type',
    /^(?:browser_|code_|web_|visit_website|wolfram)/,
  ]),
  ...governs({ kind: 'hosted-tool' }, 'Groq, "Remote MCP": calls are billed by their tokens.', [
    'tools[].type',
    /^mcp/,
  ]),
];

export const chatGoverns: readonly GovernedMember[] = [
  ...common,
  ...governs(
    { kind: 'names-model' },
    'The OpenAPI document: the models with which Compound reasons and responds.',
    'compound_custom.models.reasoning_model',
    'compound_custom.models.answering_model',
  ),
  ...governs(
    { kind: 'unpriced' },
    'Groq, "Compound": the tools that it may call are billed separately.',
    'compound_custom.tools',
    'search_settings',
    'include_domains[]',
    'exclude_domains[]',
  ),
];

export const responsesGoverns = common;
