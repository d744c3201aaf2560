import { MODEL_CATEGORIES, type ModelCategory } from '../../domain/catalog/category.ts';
import { makerName } from '../../domain/catalog/maker-name.ts';
import { SCENES, type Scene } from '../../domain/catalog/model-tags.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { Failure } from '../../domain/failure/failure.ts';

/** The filters of `GET /v1/models` (contract, Models and pricing); `null` means no filter. */
export interface ModelQuery {
  readonly category: ModelCategory | null;
  readonly recommendedFor: Scene | null;
  /** The maker of the model (its `owned_by`), or the provider of a channel that serves it. */
  readonly provider: string | null;
  readonly tag: string | null;
}

/** The values that a query may name in addition to the contract's own. */
export interface QueryVocabulary {
  readonly providers: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
}

/**
 * Returns the query after checking every given parameter. A value that no model can have is refused, and the failure lists the possible
 * ones.
 */
export function parseModelQuery(parameters: URLSearchParams, vocabulary: () => QueryVocabulary): ModelQuery | Failure {
  const category = oneOf(parameters, 'category', () => MODEL_CATEGORIES);
  if (category instanceof Failure) return category;
  const recommendedFor = oneOf(parameters, 'recommended_for', () => SCENES);
  if (recommendedFor instanceof Failure) return recommendedFor;
  const provider = oneOf(parameters, 'provider', () => [...vocabulary().providers].sort(), makerName);
  if (provider instanceof Failure) return provider;
  const tag = oneOf(parameters, 'tag', () => [...new Set([...MODEL_CATEGORIES, ...vocabulary().tags])].sort());
  if (tag instanceof Failure) return tag;
  return { category, recommendedFor, provider, tag };
}

function oneOf<Value extends string>(
  parameters: URLSearchParams,
  name: string,
  values: () => readonly Value[],
  usualName: (given: string) => string = (given) => given,
): Value | null | Failure {
  const [given, ...more] = parameters.getAll(name);
  if (given === undefined) return null;
  if (more.length > 0) {
    return new Failure('invalid_value', { message: `${name} appears more than once; send it once`, param: name });
  }
  const allowed = values();
  const known = allowed.find((value) => value === given) ?? allowed.find((value) => value === usualName(given));
  if (known !== undefined) return known;
  const [best] = suggestModels(given, allowed, 1);
  return new Failure('invalid_value', {
    message: `${name} must be one of ${allowed.map((value) => `"${value}"`).join(', ')}; got ${JSON.stringify(given.slice(0, 100))}`,
    param: name,
    ...(best === undefined ? {} : { didYouMean: best, hint: `Did you mean \`${name}=${best}\`?` }),
  });
}
