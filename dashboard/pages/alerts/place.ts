import { useScope } from '../../shell/scope.tsx';

/** What an object of alerts is asked for with: operators see those of all accounts, and their own. */
export function placeOf(account: string | null): { readonly account_id?: string } {
  return account === null ? {} : { account_id: account };
}

/** How one object is told from another in the address: their ids are only of their owner. */
export function addressKey({ account, id }: { readonly account: string | null; readonly id: string }): string {
  return `${account ?? ''}/${id}`;
}

/** An account's own page shows what is told of the operators, but only they change it. */
export function useMayChange(): (account: string | null) => boolean {
  const { mayOwn, isOperator } = useScope();
  return (account) => (account === null ? isOperator : mayOwn);
}
