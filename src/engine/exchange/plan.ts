import { allowsModel } from '../../domain/access/allow-list.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { orderTargets } from '../../domain/routing/order.ts';
import type { Strategy } from '../../domain/routing/strategy.ts';
import type { ModelHealth } from '../shared/channel-health.ts';
import type { Directory, Principal, VisibleRoutes } from '../shared/directory.ts';
import type { Target } from '../shared/target.ts';

/** The ways to a model that the key may use; in no order, and never none. */
export function routesFor(
  directory: Directory,
  principal: Principal,
  modelId: string,
  clientFormat: string,
): VisibleRoutes | Failure {
  const { account, credential } = principal;
  const routes = directory.routesTo(modelId, account.id, clientFormat);
  if (routes === null) return modelNotFound(directory, principal, modelId);
  if (!allowsModel(credential.models, modelId)) {
    return new Failure('model_not_allowed', {
      message: `This API key may not use the model \`${modelId}\`.`,
      param: 'model',
      hint: "Use a model of the key's allow-list, or another key.",
    });
  }
  return routes;
}

export interface PlanInput {
  readonly routes: VisibleRoutes;
  readonly strategy: Strategy;
  readonly stream: boolean;
  readonly affinity: ((target: Target) => number) | null;
  readonly nowMs: number;
  readonly random: () => number;
}

/** The targets that may be tried now, best first (docs/routing.md); none while all of them rest. */
export function plan({ routes, strategy, stream, affinity, nowMs, random }: PlanInput): readonly Target[] {
  const { targets, costs, rotation } = routes;
  const usable = targets.every(({ health }) => health.admits(nowMs))
    ? targets
    : targets.filter(({ health }) => health.admits(nowMs));
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

function modelNotFound(directory: Directory, { account, credential }: Principal, modelId: string): Failure {
  const usable = directory.publicModelIds(account.id).filter((id) => allowsModel(credential.models, id));
  const suggestions = suggestModels(modelId, usable);
  const [best] = suggestions;
  return new Failure('model_not_found', {
    message: `The model \`${modelId.slice(0, 256)}\` does not exist or is not available.`,
    param: 'model',
    suggestions,
    ...(best === undefined ? {} : { didYouMean: best }),
    hint: best === undefined ? availableHint(usable) : `Did you mean \`${best}\`?`,
  });
}

function availableHint(usable: readonly string[]): string {
  if (usable.length === 0) return "This key can use no model now. Add a channel or widen the key's list of models.";
  const shown = usable.slice(0, 10).map((id) => `\`${id}\``);
  return `Models of this key: ${shown.join(', ')}${usable.length > shown.length ? ', …' : ''}.`;
}
