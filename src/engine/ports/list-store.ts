import type { AccountFilter } from './directory-store.ts';

/** A row's place in a sorted list. */
export interface SortPlace {
  /** The value by which the list is sorted: a text, or an integer in decimal digits. */
  readonly value: string;
  /** Orders rows with the same value, always ascending. */
  readonly id: string;
}

/** The order and the beginning of a page. */
export interface SortedPage {
  readonly isDown: boolean;
  readonly after: SortPlace | null;
  readonly limit: number;
}

/** Amounts by which a list is sorted, computed elsewhere. Rows without one count as zero. */
export interface SortFigures {
  readonly figures: readonly { readonly id: string; readonly amount: bigint }[];
}

export const ACCOUNT_ORDERS = ['name', 'created_at', 'balance', 'free', 'last_active_at'] as const;
export const KEY_ORDERS = ['name', 'created_at', 'last_used_at', 'expires_at', 'spent'] as const;
export const USER_ORDERS = ['email', 'name', 'created_at', 'last_active_at'] as const;

export interface SortedAccounts extends SortedPage {
  readonly by: (typeof ACCOUNT_ORDERS)[number] | SortFigures;
  readonly only: AccountFilter;
}

/** The state of a key at a time, in milliseconds since 1970. */
export interface KeyState {
  readonly name: 'active' | 'expired' | 'revoked';
  readonly atMs: number;
}

/** A page of one account's `sk-` keys. */
export interface SortedKeys extends SortedPage {
  readonly accountId: string;
  readonly by: (typeof KEY_ORDERS)[number] | SortFigures;
  /** A substring of the id, the name or the preview. ASCII letters match in either case. */
  readonly text?: string;
  readonly state?: KeyState;
}

export interface SortedUsers extends SortedPage {
  readonly by: (typeof USER_ORDERS)[number];
  /** Restricts the page to members of this account. */
  readonly accountId?: string;
  /** A substring of the address or name, in any case. */
  readonly text?: string;
}

/** Sorts and searches lists over all of their pages. Resolves to the places of a page's rows, which the caller then reads by id. */
export interface ListStore {
  accounts(page: SortedAccounts): Promise<readonly SortPlace[]>;
  keys(page: SortedKeys): Promise<readonly SortPlace[]>;
  users(page: SortedUsers): Promise<readonly SortPlace[]>;
  /** Resolves to when a key of each account was last used, in milliseconds since 1970. Accounts without a use are missing. */
  accountsActive(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Resolves to when each user last sent a request while signed in, in milliseconds since 1970. */
  usersActive(userIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
