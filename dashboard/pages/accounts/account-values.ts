import type { Account, UpdateAccountByIdRequest } from '../../api/schema.ts';
import { BILLING_FIELD_OF, type BillingValues, billingBodyOf, billingValuesOf } from '../shared/billing-details.tsx';
import { BUDGET_FIELD_OF, type BudgetValues, budgetBodyOf, budgetValuesOf } from '../shared/usage/budget-values.ts';
import { numberSaid, said } from '../shared/written.ts';

/** An account in its form: texts, empty if not set. */
export interface AccountValues extends BillingValues, BudgetValues {
  name: string;
  role: Account['role'];
  billing: Account['billing'];
  requests: string;
  tokens: string;
  concurrent: string;
  strategy: NonNullable<Account['strategy']> | '';
  fallbacks: string[];
  guards: string[];
  capture: boolean;
  captureDays: string;
}

export function valuesOf(account: Account | null, ownTimeZone: string): AccountValues {
  return {
    name: account?.name ?? '',
    role: account?.role ?? 'User',
    billing: account?.billing ?? 'prepaid',
    requests: account?.requests_per_minute?.toString() ?? '',
    tokens: account?.tokens_per_minute?.toString() ?? '',
    concurrent: account?.max_concurrent?.toString() ?? '',
    ...budgetValuesOf(account?.budget ?? null, ownTimeZone),
    strategy: account?.strategy ?? '',
    fallbacks: [...(account?.fallbacks ?? [])],
    guards: [...(account?.guards ?? [])],
    capture: account?.capture === 'full',
    captureDays: account?.capture_days?.toString() ?? '',
    ...billingValuesOf(account?.billing_details ?? null),
  };
}

/** Returns the body for the API; `null` resets a member to its default. */
export function bodyOf(values: AccountValues): UpdateAccountByIdRequest {
  const { name, role, billing, strategy, capture } = values;
  return {
    name: said(name),
    ...{ role, billing },
    requests_per_minute: numberSaid(values.requests),
    tokens_per_minute: numberSaid(values.tokens),
    max_concurrent: numberSaid(values.concurrent),
    budget: budgetBodyOf(values),
    strategy: strategy === '' ? null : strategy,
    fallbacks: values.fallbacks,
    guards: values.guards,
    capture: capture ? 'full' : 'none',
    capture_days: numberSaid(values.captureDays),
    billing_details: billingBodyOf(values),
  };
}

/** The form's fields for members of the API. */
export const FIELD_OF = {
  requests_per_minute: 'requests',
  tokens_per_minute: 'tokens',
  max_concurrent: 'concurrent',
  capture_days: 'captureDays',
  ...BUDGET_FIELD_OF,
  ...BILLING_FIELD_OF,
} as const;

/** The operations that show an account. */
export const ACCOUNT_READS = [
  'listAccounts',
  'getAccountById',
  'getAccount',
  'getMe',
  'getBalance',
  'getLimits',
  'getStatement',
] as const;
