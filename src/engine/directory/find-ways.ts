import type { Principal } from '../../domain/access/principal.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { ModelOperation } from '../../domain/catalog/model-operation.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ModelGrant } from '../../domain/routing/model-step.ts';
import type { Directory, Ways } from './directory.ts';
import { ifUsable, wrongEndpoint } from './find-model.ts';
import type { Target } from './target.ts';

/** The non-text operation that a client asks for at an endpoint. */
export interface AskedOperation {
  readonly modelId: string;
  readonly operation: ModelOperation;
  /** The category of the models that the endpoint serves. */
  readonly category: ModelCategory;
  /** Set for a model that the client has not named itself. */
  readonly grant?: ModelGrant | null;
}

/**
 * Returns the targets of a model for a non-text operation, or why it has none: the model does not exist, the key may not use it, the model
 * is for another operation, or none of its channels has the operation here (contract, Types and codes: `model_not_found` with 400).
 */
export function findWays(
  directory: Directory,
  principal: Principal,
  { modelId, operation, category, grant = null }: AskedOperation,
): Ways<Target> | Failure {
  const serves = ({ operations }: Model) => operations.includes(operation);
  const found = directory.waysFor(operation, modelId, principal.account.id, grant !== null);
  const ways = ifUsable(found, { directory, principal, modelId, serves, grant });
  if (ways instanceof Failure) return ways;
  if (!serves(ways.model)) return wrongEndpoint(ways.model, category);
  if (ways.targets.length > 0) return ways;
  return new Failure('model_not_found', {
    status: 400,
    message: `The model \`${modelId}\` is not available here: no provider of its channels supports ${operation} at this gateway.`,
    kind: 'wrong_endpoint',
    param: 'model',
    hint: `Use another ${category} model: GET /v1/models?category=${category} lists them.`,
  });
}
