import { useScope } from '../../shell/scope.tsx';

/** Returns the query for an alert object: operators see those of all accounts, and their own. */
export function placeOf(account: string | null): { readonly account_id?: string } {
  return account === null ? {} : { account_id: account };
}

/** Returns a key for the address that identifies an object, since ids are unique only per owner. */
export function addressKey({ account, id }: { readonly account: string | null; readonly id: string }): string {
  return `${account ?? ''}/${id}`;
}

/** Returns whether objects may be changed: an account's page also shows those of operators, which only operators can change. */
export function useMayChange(): (account: string | null) => boolean {
  const { mayOwn, isOperator } = useScope();
  return (account) => (account === null ? isOperator : mayOwn);
}
