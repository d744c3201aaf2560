import type { Principal } from '../../domain/access/principal.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { Budget } from '../../domain/money/budget.ts';
import { type BudgetHolder, budgetInForce } from '../../domain/money/budget-in-force.ts';
import type { Directory } from '../directory/directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { BillingSettings } from '../settings/settings.ts';
import type { ChoosingCall, ChosenModel, ModelChooser } from './model-choice.ts';

interface BudgetOwner {
  readonly accountId: string;
  /** `null` for the budget of the account. */
  readonly keyId: string | null;
}

interface BudgetPorts {
  /** Knows whether the spending of a budget's current period has reached its threshold. */
  readonly wallets: {
    hasReached(owner: BudgetOwner, budget: Budget): boolean;
    /** Finds out what `hasReached` returns. */
    learn(owner: BudgetOwner, budget: Budget): Promise<void>;
  };
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly settings: Pick<BillingSettings, 'privateChannelFeeNanoUsd'>;
}

/** The facts of a call by which the cheaper model of a budget is chosen. */
type BudgetedCall = Pick<ChoosingCall, 'principal' | 'directory'>;

interface OwnedBudget {
  readonly budget: Budget;
  /** `null` for the budget of the account. */
  readonly keyId: string | null;
}

/**
 * Gives requests to the cheaper model of a budget (docs/billing.md, Budgets): before they are routed, if the budget is known to be spent, and
 * after their reservation was refused, because they do not fit into the rest.
 */
export class BudgetChooser implements ModelChooser {
  constructor(private readonly ports: BudgetPorts) {}

  isIdle(_directory: Directory, { account, credential }: Principal): boolean {
    return account.budget?.reroute === undefined && credential.budget?.reroute === undefined;
  }

  choose({ modelId }: { readonly modelId: string | null }, call: BudgetedCall): ChosenModel | null {
    if (modelId === null) return null;
    const { account, credential } = call.principal;
    return this.spent(modelId, call, account, null) ?? this.spent(modelId, call, credential, credential.id);
  }

  /** Returns the model for a request whose reservation was refused; `null` if no budget refused it, or if its cheaper model is no help. */
  afterRefusal({ kind }: Failure, modelId: string, call: BudgetedCall): ChosenModel | null {
    if (kind !== 'account_budget' && kind !== 'key_budget') return null;
    const { account, credential } = call.principal;
    const isKeys = kind === 'key_budget';
    const budget = this.rerouting(isKeys ? credential : account);
    return budget === null ? null : cheaper({ budget, keyId: isKeys ? credential.id : null }, modelId, call);
  }

  async learn({ account, credential }: Principal): Promise<void> {
    const holders = [
      { holder: account, keyId: null },
      { holder: credential, keyId: credential.id },
    ];
    for (const { holder, keyId } of holders) {
      const budget = this.rerouting(holder);
      if (budget !== null) await this.ports.wallets.learn({ accountId: account.id, keyId }, budget);
    }
  }

  private spent(modelId: string, call: BudgetedCall, holder: BudgetHolder, keyId: string | null): ChosenModel | null {
    const budget = this.rerouting(holder);
    if (budget === null) return null;
    const accountId = call.principal.account.id;
    const { wallets, settings } = this.ports;
    if (!wallets.hasReached({ accountId, keyId }, budget)) return null;
    // No budget refuses a request that costs nothing, such as one over the account's own channel.
    if (!call.directory.mayCost(modelId, accountId, settings.privateChannelFeeNanoUsd > 0n)) return null;
    const choice = cheaper({ budget, keyId }, modelId, call);
    return choice !== null && coversAll(choice.modelId, modelId, call) ? choice : null;
  }

  private rerouting(holder: BudgetHolder): Budget | null {
    return holder.budget?.reroute === undefined ? null : budgetInForce(holder, this.ports.clock.nowMs());
  }
}

/**
 * Returns whether the cheaper model serves every operation of the other one, so that it can be routed for a request of any kind. Otherwise the
 * reservation is refused first, and this refusal is the client's if the cheaper model does not serve the request's operation.
 */
function coversAll(cheaperId: string, modelId: string, { principal, directory }: BudgetedCall): boolean {
  const [from, to] = [modelId, cheaperId].map(
    (id) => directory.servedModel(id, principal.account.id)?.operations ?? [],
  );
  return from?.every((operation) => to?.includes(operation)) === true;
}

/** Returns the cheaper model if it can take requests for the other one. */
function cheaper(
  { budget, keyId }: OwnedBudget,
  modelId: string,
  { principal, directory }: BudgetedCall,
): ChosenModel | null {
  const { reroute } = budget;
  if (reroute === undefined || reroute.modelId === modelId) return null;
  const accountId = principal.account.id;
  // Members of the account set the budgets of keys, and may not reach hidden models by them.
  if (keyId !== null && directory.visibleModel(reroute.modelId, accountId) === undefined) return null;
  const [from, to] = [directory.servedModel(modelId, accountId), directory.servedModel(reroute.modelId, accountId)];
  if (from === null || to === null || to.rules !== undefined) return null;
  if (!to.operations.some((operation) => from.operations.includes(operation))) return null;
  return { modelId: reroute.modelId, reason: `${keyId === null ? 'account' : 'key'} budget per ${budget.per}` };
}
