import { allowsModel } from '../../domain/access/allow-list.ts';
import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { GRANTED, type ModelStepKind } from '../../domain/routing/model-step.ts';
import type { Directory } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { ResponseStream } from './lane.ts';
import type { Asking } from './operation.ts';
import type { Outcome } from './outcome.ts';

/** The facts of a call by which its model is chosen. */
export interface ChoosingCall {
  readonly principal: Principal;
  readonly outcome: Outcome;
  readonly directory: Directory;
  /** The name of the client's format or of the operation. */
  readonly format: string;
}

/** The model that a request gets in place of its own. */
export interface ChosenModel {
  readonly modelId: string;
  /** The name of the rule or budget that chose it, for the request log; at most 200 characters. */
  readonly reason: string;
}

/** The part of a request that choosers see. */
export type NamedModel = Pick<Asking, 'modelId' | 'facts'>;

type Choice = ChosenModel | null | Failure;

/** Gives requests to other models, before they are routed. */
export interface ModelChooser {
  /** Returns whether no request would get another model. Absent if that depends on the request. */
  isIdle?(directory: Directory, principal: Principal): boolean;
  /**
   * Returns the model in whose place the named one is asked, `null` if the request keeps its model, or why the request is refused. The key's
   * model list does not apply to the chosen model, and the model may be hidden.
   */
  choose(asking: NamedModel, call: ChoosingCall): Choice | Promise<Choice>;
}

/** The means that give requests to other models, in the order in which they are asked. Absent or `null` while none is configured. */
export interface ModelChoicePorts {
  /** The rules of virtual models. */
  readonly modelRules?: ModelChooser | null;
  /** The budgets that reroute past their threshold. */
  readonly budgetModels?: BudgetModels | null;
}

/** The budgets that give requests to a cheaper model. */
export interface BudgetModels extends ModelChooser {
  isIdle(directory: Directory, principal: Principal): boolean;
  /** Returns the model for a request whose reservation was refused; `null` if the refusal stays. */
  afterRefusal(
    refusal: Failure,
    modelId: string,
    call: Pick<ChoosingCall, 'principal' | 'directory'>,
  ): ChosenModel | null;
  /** Finds out whether the caller's budgets are spent, for a request that is explained and not sent. Rejects if the ledger is away. */
  learn(principal: Principal): Promise<void>;
}

export function choosesModels(
  { modelRules = null, budgetModels = null }: ModelChoicePorts,
  directory: Directory,
  principal: Principal,
): boolean {
  return isActive(modelRules, directory, principal) || isActive(budgetModels, directory, principal);
}

function isActive(chooser: ModelChooser | null, directory: Directory, principal: Principal): boolean {
  return chooser !== null && chooser.isIdle?.(directory, principal) !== true;
}

/** Returns the budgets that may give requests of this caller to a cheaper model; `null` for none. */
export function budgetModelsOf(
  { budgetModels = null }: ModelChoicePorts,
  directory: Directory,
  principal: Principal,
): BudgetModels | null {
  return budgetModels === null || budgetModels.isIdle(directory, principal) ? null : budgetModels;
}

type Chosen<T extends Target, S extends ResponseStream> = Asking<T, S> | Failure;

/**
 * Returns the request for the model that rules and budgets choose, or the same request if they keep its model. Each change is a model step
 * of the call. Synchronous if the choosers are.
 */
export function chosenModel<T extends Target, S extends ResponseStream>(
  { modelRules = null, budgetModels = null }: ModelChoicePorts,
  asking: Asking<T, S>,
  call: ChoosingCall,
): Chosen<T, S> | Promise<Chosen<T, S>> {
  const ruled = modelRules === null ? asking : stepped('rule', modelRules, asking, call);
  if (budgetModels === null || ruled instanceof Failure) return ruled;
  if (ruled instanceof Promise) return budgetedLater(budgetModels, ruled, asking, call);
  return budgeted(budgetModels, ruled, asking, call);
}

async function budgetedLater<T extends Target, S extends ResponseStream>(
  budgetModels: BudgetModels,
  ruling: Promise<Chosen<T, S>>,
  named: Asking<T, S>,
  call: ChoosingCall,
): Promise<Chosen<T, S>> {
  const ruled = await ruling;
  return ruled instanceof Failure ? ruled : budgeted(budgetModels, ruled, named, call);
}

function budgeted<T extends Target, S extends ResponseStream>(
  budgetModels: BudgetModels,
  ruled: Asking<T, S>,
  named: Asking<T, S>,
  call: ChoosingCall,
): Chosen<T, S> | Promise<Chosen<T, S>> {
  if (budgetModels.isIdle(call.directory, call.principal)) return ruled;
  // A model that a rule has chosen is permitted.
  if (ruled === named && named.modelId !== null && !mayName(named.modelId, call)) return ruled;
  return stepped('budget', budgetModels, ruled, call);
}

/** Returns whether the client may use the model. If not, the request keeps it, and routing fails as it does for any other model. */
export function mayName(
  modelId: string,
  { principal, directory }: Pick<ChoosingCall, 'principal' | 'directory'>,
): boolean {
  const { account, credential } = principal;
  return allowsModel(credential.models, modelId) && directory.visibleModel(modelId, account.id) !== undefined;
}

function stepped<T extends Target, S extends ResponseStream>(
  kind: ModelStepKind,
  chooser: ModelChooser,
  asking: Asking<T, S>,
  call: ChoosingCall,
): Chosen<T, S> | Promise<Chosen<T, S>> {
  // A request that names no model, or whose answer is known, keeps its model.
  if (asking.modelId === null || asking.withModel === undefined) return asking;
  const choosing = chooser.choose(asking, call);
  if (choosing instanceof Promise) return choosing.then((choice) => taken(kind, choice, asking, call));
  return taken(kind, choosing, asking, call);
}

function taken<T extends Target, S extends ResponseStream>(
  kind: ModelStepKind,
  choice: Choice,
  asking: Asking<T, S>,
  { outcome }: ChoosingCall,
): Chosen<T, S> {
  if (choice === null || choice instanceof Failure) return choice ?? asking;
  const { modelId: to, reason } = choice;
  const from = asking.modelId;
  if (from === null || to === from || asking.withModel === undefined) return asking;
  outcome.stepped({ kind, from, to, reason });
  return asking.withModel(to, GRANTED);
}
