import { allowsModel } from '../../domain/access/allow-list.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Model } from '../../domain/catalog/model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { FALLBACK_HEADER, fallbacksInHeader, withoutRepeats } from '../../domain/routing/fallbacks.ts';
import { GRANTED_TO_KEY, type ModelGrant } from '../../domain/routing/model-step.ts';
import type { Directory } from '../directory/directory.ts';
import { findModel } from '../directory/find-model.ts';
import type { Asking, Inbound, Job } from './operation.ts';

/** The models to ask, in order, if the model of a request cannot answer. */
export interface FallbackList {
  readonly modelIds: readonly string[];
  /** `null` for the client's own list. */
  readonly grant: ModelGrant | null;
}

export const NO_FALLBACKS: FallbackList = { modelIds: [], grant: null };

export interface FallbackCall {
  readonly inbound: Pick<Inbound, 'header'>;
  readonly principal: Principal;
  readonly directory: Directory;
  /** The model that the client has named, if a rule or a budget has chosen another one; absent or `null` if none has. */
  readonly named?: string | null;
}

type NamedAsking = Pick<Asking, 'modelId' | 'fallbacks'> & { readonly withModel?: unknown };
type RoutedJob = Pick<Job, 'modelId' | 'ways'> | Failure;

/**
 * Returns the fallback models of a request whose own model is routed: those that the request names, else those of the account, else those of
 * the model. `null` for none, as for most requests; a failure (400, 403, 404) for a list of the client that is malformed or names a model that
 * the key cannot use.
 */
export function fallbacksOf(asking: NamedAsking, job: RoutedJob, call: FallbackCall): FallbackList | null | Failure {
  const { account } = call.principal;
  const header = call.inbound.header(FALLBACK_HEADER);
  const { fallbacks = null } = asking;
  if (job instanceof Failure) return fallbacksOfHeld(asking.modelId, job, call);
  const { model } = job.ways;
  if (header === null && fallbacks === null) {
    const declared = account.fallbacks.length > 0 ? account.fallbacks : declaredFor(model, call);
    return declared === undefined ? null : listed(asking, job.modelId, declared, GRANTED_TO_KEY);
  }
  const named = fallbacks ?? fallbacksInHeader(header ?? '');
  if (named instanceof Failure) return named;
  const fieldOf = (index: number) => (fallbacks === null ? FALLBACK_HEADER : `models[${index}]`);
  for (const [index, id] of named.entries()) {
    const problem = id === job.modelId ? null : problemOf(id, fieldOf(index), model, call);
    if (problem !== null) return problem;
  }
  return listed(asking, job.modelId, named, null);
}

function listed(
  { withModel }: NamedAsking,
  first: string,
  named: readonly string[],
  grant: ModelGrant | null,
): FallbackList | null {
  const modelIds = withoutRepeats(first, named);
  return modelIds.length === 0 || withModel === undefined ? null : { modelIds, grant };
}

/** Returns the declared fallbacks of a model that an operator has put on hold, for clients that still name it. */
function fallbacksOfHeld(
  modelId: string | null,
  { code }: Failure,
  { directory, principal }: FallbackCall,
): FallbackList | null {
  if (code !== 'model_not_found' || modelId === null || !allowsModel(principal.credential.models, modelId)) return null;
  const modelIds = withoutRepeats(modelId, directory.fallbacksOfHeld(modelId));
  return modelIds.length === 0 ? null : { modelIds, grant: GRANTED_TO_KEY };
}

/** A virtual model's own list comes before that of the model which its rules have chosen. */
function declaredFor({ fallbacks }: Model, { directory, named = null }: FallbackCall): readonly string[] | undefined {
  const own = named === null ? [] : directory.declaredFallbacks(named);
  return own.length > 0 ? own : fallbacks;
}

/** Returns why the client cannot fall back to this model, or `null` if it can. */
function problemOf(id: string, param: string, first: Model, { directory, principal }: FallbackCall): Failure | null {
  const serves = ({ operations }: Model) => operations.some((operation) => first.operations.includes(operation));
  const model = findModel(directory, principal, id, serves);
  if (model instanceof Failure) {
    const { code, status, details } = model;
    return new Failure(code, { ...details, status, param });
  }
  if (serves(model)) return null;
  return new Failure('invalid_value', {
    message: `\`${param}\` names the model \`${id}\`, which cannot answer in place of \`${first.id}\`: it serves other operations.`,
    param,
    hint: `Name models of the category ${first.category}, or leave \`${id}\` out.`,
  });
}
