import type { GovernedMember } from '../governed-member.ts';
import { forModels, governs } from './members.ts';

const FAST = 'Anthropic, "Fast mode": ';

function fast(models: RegExp, factor: string): GovernedMember[] {
  return forModels(
    models,
    governs(
      { kind: 'token-price', factors: { standard: '1', fast: factor } },
      `${FAST}tokens cost ${factor === '6' ? 'six times' : 'twice'} as much.`,
      'speed',
    ),
  );
}

/** Anthropic's Messages wherever Claude runs; a host itself refuses features that it lacks. */
export const ANTHROPIC_GOVERNS: readonly GovernedMember[] = [
  ...fast(/opus-4-[67]/, '6'),
  ...fast(/^(?!.*opus-4-[67])/, '2'),
  ...governs(
    { kind: 'token-price', factors: { global: '1', us: '1.1' } },
    'Anthropic, "Data residency": inference in the US costs 1.1 times as much.',
    'inference_geo',
  ),
  ...governs(
    { kind: 'web-search', bound: 'max_uses' },
    'Anthropic, "Web search tool": each search is billed in addition to its tokens.',
    ['tools[].type', /^web_search/],
  ),
  ...governs(
    { kind: 'hosted-tool' },
    'Anthropic, "Web fetch tool" and "MCP connector": calls are billed by their tokens.',
    ['tools[].type', /^web_fetch/],
    'mcp_servers[]',
  ),
  ...governs(
    { kind: 'unpriced' },
    'Anthropic, "Code execution tool": containers are billed per hour, but responses do not report the time.',
    ['tools[].type', /^code_execution/],
    'container.skills[]',
  ),
  ...governs(
    { kind: 'chooses-model' },
    'Anthropic, "Advisor tool": another model is called and billed at its own prices.',
    ['tools[].type', /^advisor/],
  ),
  ...governs(
    { kind: 'names-model' },
    'Anthropic, "Advisor tool" and "Fallbacks": they call another model.',
    'tools[].model',
    'fallbacks[].model',
  ),
  ...governs({ kind: 'owners-own' }, 'It names a profile created by the owner of the key.', 'user_profile_id'),
  ...forModels(
    /sonnet-4(?:-5)?(?:-20\d{6})?(?:-v\d|@|$)/,
    governs(
      { kind: 'unpriced' },
      'Anthropic, "Long context pricing": prompts over 200,000 tokens cost more with this flag.',
      ['anthropic-beta', /^context-1m/],
    ).map((rule): GovernedMember => ({ ...rule, isHeader: true })),
  ),
];
