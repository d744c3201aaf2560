import type { FamilyQuirk, ModelFamily } from '../shared/model-families.ts';
import { lacks, requiresReasoningBack } from '../shared/quirks.ts';

const sampling: readonly FamilyQuirk[] = lacks(
  ['temperature', 'top-p', 'frequency-penalty', 'presence-penalty'],
  'dropped',
  'The model parameter reference: sampling is fixed for Kimi models; other values are a 400.',
);

/** All models named Kimi think, and have these rules in chat completions. */
const thinking: readonly FamilyQuirk[] = [
  ...sampling,
  ...lacks(['candidate-count'], 'refused', 'The model parameter reference: `n` is fixed for Kimi models.'),
  ...requiresReasoningBack(
    'reasoning_content',
    'While the model thinks, a message with tool calls and no `reasoning_content` is a 400; an empty one is accepted.',
  ),
];

const UNFORCED: FamilyQuirk = {
  kind: 'unforced-while-thinking',
  why: 'While a K2 model thinks, it returns a 400 for a `tool_choice` that forces a call.',
};

const GRADED: readonly FamilyQuirk[] = [
  {
    kind: 'efforts',
    values: ['low', 'high', 'max'],
    why: 'The guide "Use reasoning effort": K3 accepts these three efforts, and its thinking cannot be disabled.',
  },
];

const NAMED_BY_OFFER: readonly FamilyQuirk[] = lacks(
  ['tool-choice-named'],
  'approximated',
  'The guide "Tool choice": K3 can be forced to call a tool, but not a named one, so only the named tool is declared.',
);

const SWITCHED: readonly FamilyQuirk[] = lacks(
  ['reasoning-effort'],
  'dropped',
  'The guide "Use thinking": for K2.5 and K2.6, thinking is only on or off.',
);

const ALWAYS: readonly FamilyQuirk[] = lacks(
  ['reasoning-effort', 'reasoning-budget'],
  'dropped',
  'The guide "Use thinking": K2.7 Code always thinks, at one effort level.',
);

function family(name: string, models: RegExp, efforts: readonly FamilyQuirk[], chat: readonly FamilyQuirk[] = []) {
  const others = [...sampling, ...efforts];
  return {
    name,
    models,
    quirks: {
      'openai-chat': [...thinking, ...efforts, ...chat],
      'openai-responses': others,
      'anthropic-messages': others,
    },
  };
}

export const families: readonly ModelFamily[] = [
  family('Kimi K3 and later', /^kimi-k(?:[3-9]|\d\d)/, GRADED, NAMED_BY_OFFER),
  family('Kimi K2.7 and K2 Thinking', /^kimi-k2(?:\.[7-9]|-thinking)/, ALWAYS, [UNFORCED]),
  family('Kimi K2.5 and K2.6', /^kimi-k2\.[56]/, SWITCHED, [
    UNFORCED,
    {
      kind: 'thinking-switch',
      style: 'thinking-type',
      why: 'The guide "Use thinking": thinking is on by default, and `thinking.type` turns it off.',
    },
  ]),
  { name: 'Kimi K2 and Moonshot v1', models: /^(?:kimi-k2(?![.]|-thinking)|kimi-latest|moonshot-)/, quirks: {} },
];
