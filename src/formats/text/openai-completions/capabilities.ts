import { type Carries, FEATURES, type Feature } from '../../../domain/exchange/loss.ts';
import { refused } from '../shared/verdicts.ts';

const CARRIED: ReadonlySet<Feature> = new Set<Feature>([
  'text',
  ...(['max-output-tokens', 'temperature', 'top-p', 'frequency-penalty', 'presence-penalty', 'seed', 'stop'] as const),
  ...(['candidate-count', 'logprobs', 'logit-bias', 'user'] as const),
]);

const TEXT_ALONE = refused('text completions accept only one text');

/** Every feature has an entry, because the entries are mapped from the list of all features. */
export const carries = Object.fromEntries(
  FEATURES.map((feature) => [feature, CARRIED.has(feature) ? 'exact' : TEXT_ALONE]),
) as Carries;
