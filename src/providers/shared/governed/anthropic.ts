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
    'Anthropic, "Web search tool": each search is billed beside its tokens.',
    ['tools[].type', /^web_search/],
  ),
  ...governs(
    { kind: 'hosted-tool' },
    'Anthropic, "Web fetch tool" and "MCP connector": the calls cost their tokens.',
    ['tools[].type', /^web_fetch/],
    'mcp_servers[]',
  ),
  ...governs(
    { kind: 'unpriced' },
    'Anthropic, "Code execution tool": a container costs by the hour, and no answer says how long it ran.',
    ['tools[].type', /^code_execution/],
    'container.skills[]',
  ),
  ...governs(
    { kind: 'chooses-model' },
    'Anthropic, "Advisor tool": another model is asked, and billed at its own prices.',
    ['tools[].type', /^advisor/],
  ),
  ...governs(
    { kind: 'names-model' },
    'Anthropic, "Advisor tool" and "Fallbacks": another model answers, or is asked.',
    'tools[].model',
    'fallbacks[].model',
  ),
  ...governs({ kind: 'owners-own' }, 'It is a profile that the owner of the key has made.', 'user_profile_id'),
  ...forModels(
    /sonnet-4(?:-5)?(?:-20\d{6})?(?:-v\d|@|$)/,
    governs(
      { kind: 'unpriced' },
      'Anthropic, "Long context pricing": prompts over 200,000 tokens cost more with this flag.',
      ['anthropic-beta', /^context-1m/],
    ).map((rule): GovernedMember => ({ ...rule, isHeader: true })),
  ),
];
