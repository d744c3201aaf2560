import { allowsModel } from '../../domain/access/allow-list.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { publicContractSummaryOf } from '../../domain/catalog/public-contract.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ModelGrant } from '../../domain/routing/model-step.ts';
import type { Directory } from './directory.ts';

/** Returns the models that a key may use, ordered by id; without a key, those that every account may use. */
export function usableModels(directory: Directory, principal: Principal | null): readonly Model[] {
  const visible = directory.visibleModels(principal?.account.id ?? null);
  const allowed = principal?.credential.models ?? null;
  return allowed === null ? visible : visible.filter(({ id }) => allowsModel(allowed, id));
}

/**
 * Returns the model that a client names, if its key may use it. Otherwise the failure suggests models that `serves` accepts, which are
 * those of the called endpoint.
 */
export function findModel(
  directory: Directory,
  principal: Principal | null,
  modelId: string,
  serves: (model: Model) => boolean = () => true,
): Model | Failure {
  const model = directory.visibleModel(modelId, principal?.account.id ?? null) ?? null;
  return ifUsable(model, { directory, principal, modelId, serves });
}

export interface ModelSearch {
  readonly directory: Directory;
  readonly principal: Principal | null;
  readonly modelId: string;
  readonly serves: (model: Model) => boolean;
  /** Set for a model that the client has not named itself. */
  readonly grant?: ModelGrant | null;
}

/** Returns what the directory has found for a name and an account, or the failure: the model does not exist, or the key may not use it. */
export function ifUsable<Found>(
  found: Found | null,
  { directory, principal, modelId, serves, grant }: ModelSearch,
): Found | Failure {
  if (found === null) return modelNotFound(usableModels(directory, principal).filter(serves), principal, modelId);
  if (principal === null || grant?.heedsKey === false || allowsModel(principal.credential.models, modelId))
    return found;
  return new Failure('model_not_allowed', {
    message: `This API key may not use the model \`${modelId}\`.`,
    param: 'model',
    hint: "Use a model from the key's allow-list, or another key.",
  });
}

/** Returns the same failure for a model that is misspelled, hidden, on hold or of another account (contract, Errors, rule 1). */
function modelNotFound(models: readonly Model[], principal: Principal | null, modelId: string): Failure {
  const usable = models.map(({ id }) => id);
  const suggestions = suggestModels(modelId, worthComparing(modelId, usable, principal));
  const [best] = suggestions;
  return new Failure('model_not_found', {
    message: `The model \`${modelId.slice(0, 256)}\` does not exist or is not available.`,
    param: 'model',
    suggestions,
    ...(best === undefined ? {} : { didYouMean: best }),
    hint: best === undefined ? availableHint(usable, principal) : `Did you mean \`${best}\`?`,
  });
}

/** Comparing one name takes a microsecond, and clients without a key may ask without limit. */
const MOST_COMPARED = 5_000;
const MOST_COMPARED_WITHOUT_KEY = 500;

/** Returns all ids, or only those with the same beginning if there are too many. */
function worthComparing(wanted: string, ids: readonly string[], principal: Principal | null): readonly string[] {
  const most = principal === null ? MOST_COMPARED_WITHOUT_KEY : MOST_COMPARED;
  if (ids.length <= most) return ids;
  const beginning = beginningOf(wanted);
  return ids.filter((id) => beginningOf(id) === beginning).slice(0, most);
}

/** Returns the first two letters of the name, without its vendor prefix. */
function beginningOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1, id.lastIndexOf('/') + 3).toLowerCase();
}

function availableHint(usable: readonly string[], principal: Principal | null): string {
  if (principal === null)
    return 'GET /v1beta/models lists the models that everyone may use; send a key to see your own.';
  if (usable.length === 0)
    return "This key cannot use any model at the moment. Add a channel or extend the key's allow-list.";
  const shown = usable.slice(0, 10).map((id) => `\`${id}\``);
  return `Models of this key: ${shown.join(', ')}${usable.length > shown.length ? ', …' : ''}. GET /v1/models lists them all.`;
}

/**
 * Returns the failure for a public model at an endpoint that does not serve it (contract, Types and codes: `model_not_found` with 400).
 * `category` is that of the endpoint's models.
 */
export function wrongEndpoint({ id, category: own, operations }: Model, category: ModelCategory): Failure {
  const { request_endpoint: endpoint } = publicContractSummaryOf(operations);
  const article = /^[aeiou]/.test(category) ? 'an' : 'a';
  return new Failure('model_not_found', {
    status: 400,
    message: `The model \`${id}\` is not available at this endpoint: its category is ${own}.`,
    kind: 'wrong_endpoint',
    param: 'model',
    hint: `Send it to POST ${endpoint}, or use ${article} ${category} model: GET /v1/models?category=${category} lists them.`,
  });
}
