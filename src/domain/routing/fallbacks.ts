import { Failure } from '../failure/failure.ts';

/** The most fallback models of a model, an account or a request. */
export const MOST_FALLBACKS = 5;
/** Names the fallback models of a request, separated by commas. An empty value switches the operator's fallbacks off. */
export const FALLBACK_HEADER = 'x-switchyard-fallback-models';
const LONGEST_MODEL = 256;

/** Returns the models to ask after `first`, in order, without those that were asked before them. */
export function withoutRepeats(first: string, fallbacks: readonly string[]): readonly string[] {
  return [...new Set(fallbacks)].filter((id) => id !== first).slice(0, MOST_FALLBACKS);
}

/** Returns the models in the header's value. More than the maximum are refused. */
export function fallbacksInHeader(value: string): readonly string[] | Failure {
  const ids = value.split(',', MOST_FALLBACKS + 2).map((word) => word.trim());
  const named = ids.filter((id) => id !== '');
  if (named.some((id) => id.length > LONGEST_MODEL)) {
    return wrongHeader(`has an id of more than ${LONGEST_MODEL} characters`);
  }
  return ids.length > MOST_FALLBACKS ? wrongHeader(`names more than ${MOST_FALLBACKS} models`) : named;
}

function wrongHeader(problem: string): Failure {
  return new Failure('invalid_value', {
    message: `The header \`${FALLBACK_HEADER}\` ${problem}.`,
    param: FALLBACK_HEADER,
    hint: `For example, send \`${FALLBACK_HEADER}: first-fallback,second-fallback\`, with at most ${MOST_FALLBACKS} model ids.`,
  });
}
