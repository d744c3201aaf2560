import type { ActiveAlert } from '../../../api/schema.ts';
import type { Scope } from '../../../shell/scope.tsx';

/** The facts of an alert or an alert event. */
export interface Concerned {
  readonly rule: { readonly type: string } | null;
  readonly subject: Pick<ActiveAlert['subject'], 'type' | 'id' | 'account_id'> | null;
}

export interface SubjectPlace {
  readonly kind: 'account' | 'budget' | 'balance' | 'requests' | 'key' | 'model' | 'channel';
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

/**
 * Returns the page of the object that an alert is about; `null` if it has none in this scope.
 *
 * @param baseOf returns the base path of an account's pages
 */
export function subjectPlace(
  { rule, subject }: Concerned,
  { base, accountId }: Scope,
  baseOf: (accountId: string) => string,
): SubjectPlace | null {
  if (subject === null) return null;
  const { type, id, account_id: owner } = subject;
  const isOfAll = accountId === null;
  if (type === 'account' && isOfAll) return { kind: 'account', to: `${base}/accounts`, search: { id } };
  if (type === 'account') return placeOfAccount(rule?.type, base);
  if (type === 'key') {
    const own = owner === null ? base : baseOf(owner);
    return owner === null && isOfAll ? null : { kind: 'key', to: `${own}/keys`, search: { id } };
  }
  if (type === 'model') return { kind: 'model', to: `${base}/models`, search: { id } };
  return type === 'channel' ? { kind: 'channel', to: `${base}/channels`, search: { id } } : null;
}

function placeOfAccount(rule: string | undefined, base: string): SubjectPlace {
  if (rule === 'budget_spent') return { kind: 'budget', to: `${base}/alerts`, search: { tab: 'budgets' } };
  if (rule === 'error_rate') return { kind: 'requests', to: `${base}/requests`, search: { status: '5xx' } };
  return { kind: 'balance', to: `${base}/balance`, search: {} };
}
