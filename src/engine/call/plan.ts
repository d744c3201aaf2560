import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { servesChat } from '../../domain/catalog/model-operation.ts';
import { publicContractSummaryOf } from '../../domain/catalog/public-contract.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { orderTargets } from '../../domain/routing/order.ts';
import type { Strategy } from '../../domain/routing/strategy.ts';
import { clientFormats } from '../../formats/index.ts';
import type { Directory, VisibleRoutes } from '../directory/directory.ts';
import { ifUsable } from '../directory/find-model.ts';
import type { Target } from '../directory/target.ts';
import type { ModelHealth } from '../health/channel-health.ts';

/** The ways to a chat model that the key may use, in no order; none while no channel serves a declared one. */
export function routesFor(
  directory: Directory,
  principal: Principal,
  modelId: string,
  clientFormat: string,
): VisibleRoutes | Failure {
  const found = directory.routesTo(modelId, principal.account.id, clientFormat);
  const routes = ifUsable(found, { directory, principal, modelId, serves: servesChat });
  if (routes instanceof Failure) return routes;
  if (!servesChat(routes.model)) return wrongEndpoint(routes.model);
  if (routes.targets.length > 0) return routes;
  const [other] = directory.formatsServing(modelId, principal.account.id);
  return other === undefined ? routes : wrongFormat(routes.model, other);
}

/** A model whose channels only continue a text, asked by a client of a chat. */
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

/** A public model at an endpoint that it does not serve (contract, Types and codes: `model_not_found` with 400). */
function wrongEndpoint({ id, category, operations }: Model): Failure {
  const { request_endpoint: endpoint } = publicContractSummaryOf(operations);
  return new Failure('model_not_found', {
    status: 400,
    message: `The model \`${id}\` is not available at this endpoint: its category is ${category}.`,
    kind: 'wrong_endpoint',
    param: 'model',
    hint: `Send it to POST ${endpoint}, or use a chat model: GET /v1/models?category=chat lists them.`,
  });
}

export interface PlanInput {
  readonly routes: VisibleRoutes;
  readonly accountId: string;
  readonly strategy: Strategy;
  readonly stream: boolean;
  readonly affinity: ((target: Target) => number) | null;
  readonly nowMs: number;
  readonly random: () => number;
}

/** The targets that may be tried now, best first (docs/routing.md); none while all of them rest. */
export function plan({ routes, accountId, strategy, stream, affinity, nowMs, random }: PlanInput): readonly Target[] {
  const { targets, costs, rotation } = routes;
  const usable = targets.every(({ health }) => health.admits(accountId, nowMs))
    ? targets
    : targets.filter(({ health }) => health.admits(accountId, nowMs));
  if (usable.length < 2) return usable;
  return orderTargets(usable, {
    strategy,
    rotation,
    random,
    affinity,
    keyOf: ({ channel }) => channel.id,
    costOf: ({ channel }) => costs.get(channel.id)?.(nowMs) ?? null,
    firstByteMsOf: ({ health }) => firstByteMs(health, stream, nowMs),
    inFlightOf: ({ health }) => health.channel.inFlight,
  });
}

/** `null` for one that nobody has measured; while somebody does, no other request waits for a channel that may never answer. */
function firstByteMs({ firstByteMs, inFlight }: ModelHealth, stream: boolean, nowMs: number): number | null {
  const measured = firstByteMs[stream ? 'stream' : 'whole'].valueAt(nowMs);
  return measured ?? (inFlight > 0 ? Number.POSITIVE_INFINITY : null);
}
