import type { Principal } from '../../../domain/access/principal.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { servesChat } from '../../../domain/catalog/model-operation.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import { clientFormats } from '../../../formats/index.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import { ifUsable, wrongEndpoint } from '../../directory/find-model.ts';
import type { TextTarget } from '../../directory/target.ts';

/**
 * Returns the unordered routes to a chat model that the key may use. Empty if no channel serves a declared model. `grant` is set for a model
 * that the client has not named itself.
 */
export function routesFor(
  directory: Directory,
  principal: Principal,
  modelId: string,
  clientFormat: string,
  grant: ModelGrant | null = null,
): Ways<TextTarget> | Failure {
  const found = directory.routesTo(modelId, principal.account.id, clientFormat, grant !== null);
  const ways = ifUsable(found, { directory, principal, modelId, serves: servesChat, grant });
  if (ways instanceof Failure) return ways;
  if (!servesChat(ways.model)) return wrongEndpoint(ways.model, 'chat');
  if (ways.targets.length > 0) return ways;
  const [other] = directory.formatsServing(modelId, principal.account.id);
  return other === undefined ? ways : wrongFormat(ways.model, other);
}

/** Returns the failure for a model that is served only at the endpoint of another format, such as text completions. */
function wrongFormat({ id }: Model, format: string): Failure {
  const [endpoint] = clientFormats.get(format)?.endpoints ?? [];
  return new Failure('model_not_found', {
    status: 400,
    message: `The model \`${id}\` is not available at this endpoint.`,
    kind: 'wrong_endpoint',
    param: 'model',
    hint: `Send it to POST ${endpoint?.path}, or use another chat model: GET /v1/models?category=chat lists them.`,
  });
}
