import type { ToldSteps } from '../../domain/exchange/routing-info.ts';
import type { ModelStep } from '../../domain/routing/model-step.ts';

export const NO_STEPS: readonly ModelStep[] = [];

/**
 * Returns the members of `_routing` about the changes of a request's model; `null` for none. The named model is left out if it is the one
 * that has answered.
 */
export function toldSteps(requestedModel: string | null, modelSteps: readonly ModelStep[]): ToldSteps | null {
  if (modelSteps === NO_STEPS) return null;
  const model = modelSteps.findLast(({ skipped }) => skipped === undefined)?.to ?? requestedModel;
  return requestedModel === null || requestedModel === model ? { modelSteps } : { requestedModel, modelSteps };
}
