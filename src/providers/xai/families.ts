import type { FamilyQuirk, ModelFamily } from '../shared/model-families.ts';
import { lacks } from '../shared/quirks.ts';

const PAGE = 'The page "Reasoning" of docs.x.ai';

/** Parameters that thinking models answer with an error. */
const thinking: readonly FamilyQuirk[] = [...lacks(['stop'], 'refused', `${PAGE}: models that think reject \`stop\`.`)];

const withoutEffort: readonly FamilyQuirk[] = lacks(
  ['reasoning-effort', 'reasoning-budget'],
  'dropped',
  `${PAGE}: this model returns an error for \`reasoning_effort\`.`,
);

function efforts(values: readonly string[], why: string): readonly FamilyQuirk[] {
  return [{ kind: 'efforts', values, why: `${PAGE}: ${why}` }];
}

function family(name: string, models: RegExp, thinks: readonly FamilyQuirk[], effort: readonly FamilyQuirk[]) {
  return { name, models, quirks: { 'openai-chat': [...thinks, ...effort], 'openai-responses': effort } };
}

export const families: readonly ModelFamily[] = [
  family('Models that do not think', /^grok-(?:[12](?![\d.])|3(?!-mini)|.*non-reasoning)/, [], withoutEffort),
  family('Grok 3 mini', /^grok-3-mini/, thinking, efforts(['low', 'high'], 'Grok 3 mini accepts `low` and `high`.')),
  family(
    'Grok 4, 4.1, 4.20 and Code Fast',
    /^grok-(?:4(?:\.20|-|$)|code-fast)(?!.*non-reasoning)/,
    thinking,
    withoutEffort,
  ),
  family(
    'Grok 4.3 and 4.4',
    /^grok-4\.[34](?!\d)/,
    thinking,
    efforts(['none', 'low', 'medium', 'high'], 'Grok 4.3 accepts these four efforts, and `none` disables reasoning.'),
  ),
  family(
    'Grok 4.5 and later',
    /^grok-(?:4\.[5-9](?!\d)|[5-9]|\d\d|latest)(?!.*non-reasoning)/,
    thinking,
    efforts(['low', 'medium', 'high'], 'Grok 4.5 accepts these three efforts, and its reasoning cannot be disabled.'),
  ),
  family('Grok Build', /^grok-build/, thinking, withoutEffort),
];
