import { filesIn, isLabelRight, namesByBytes } from '../../shared/labelled-files.ts';
import type { Example, Rule, Source } from '../rule.ts';

/**
 * Returns the rule of a provider that compares each file's media type with its signature. `refused` and
 * `accepted` are examples.
 */
export function mediaLabels(
  source: Source,
  examples: { readonly refused: readonly [Example, ...Example[]]; readonly accepted?: readonly Example[] },
): Rule {
  return {
    id: 'media-labels',
    statement: 'The declared media type of a file must match its bytes, in the registered spelling.',
    source,
    refuses(request) {
      const wrong = filesIn(request.body).find((file) => !isLabelRight(file));
      if (wrong === undefined) return null;
      const [found] = namesByBytes(wrong) ?? [];
      return `${wrong.path.join('.')}: the file was specified using the ${wrong.label} media type, but it appears to be ${found}`;
    },
    examples,
  };
}
